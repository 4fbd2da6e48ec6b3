BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0002');
CREATE TABLE counter (
	name TEXT NOT NULL, 
	value BIGINT NOT NULL, 
	PRIMARY KEY (name)
);
INSERT INTO "counter" VALUES('tick',7);
CREATE TABLE dead_letter (
	id INTEGER NOT NULL, 
	source TEXT NOT NULL, 
	payload BLOB NOT NULL, 
	reason TEXT NOT NULL, 
	namespace TEXT, 
	received_at FLOAT NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "dead_letter" VALUES(1,'kafka',X'00FF','no json','`a b`',33.0);
INSERT INTO "dead_letter" VALUES(2,'kafka',X'7B7D','no table',NULL,33.0);
CREATE TABLE edge (
	dependent TEXT NOT NULL, 
	upstream TEXT NOT NULL, 
	position INTEGER NOT NULL, 
	used TEXT, 
	PRIMARY KEY (dependent, upstream)
);
INSERT INTO "edge" VALUES('shop.v_orders','shop.customers',0,'if-u');
INSERT INTO "edge" VALUES('shop.v_orders','shop.orders',1,'if-t');
INSERT INTO "edge" VALUES('shop.v_totals','shop.v_orders',0,'old');
INSERT INTO "edge" VALUES('shop.c1','shop.c2',0,NULL);
INSERT INTO "edge" VALUES('shop.c1','shop.orders',1,'if-t');
INSERT INTO "edge" VALUES('shop.c2','shop.c1',0,NULL);
INSERT INTO "edge" VALUES('`a b`.`odd "name".x`','a.b.t',0,NULL);
CREATE TABLE memo (
	inputs_hash TEXT NOT NULL, 
	status TEXT NOT NULL, 
	derivation TEXT, 
	reason TEXT NOT NULL, 
	remembered_at FLOAT NOT NULL, 
	PRIMARY KEY (inputs_hash)
);
INSERT INTO "memo" VALUES('in-t','OK','{"derivation": "t"}','',40.0);
INSERT INTO "memo" VALUES('in-w','UNSUPPORTED',NULL,'why',40.0);
CREATE TABLE relation (
	name TEXT NOT NULL, 
	namespace TEXT NOT NULL, 
	incarnation INTEGER NOT NULL, 
	facts_hash TEXT, 
	read_event_id BIGINT, 
	missing_since FLOAT, 
	yanked INTEGER NOT NULL, 
	PRIMARY KEY (name)
);
INSERT INTO "relation" VALUES('shop.orders','shop',1,'facts-t',7,NULL,0);
INSERT INTO "relation" VALUES('shop.customers','shop',0,'facts-u',8,NULL,0);
INSERT INTO "relation" VALUES('shop.v_orders','shop',0,'facts-v',9,NULL,0);
INSERT INTO "relation" VALUES('shop.v_totals','shop',0,'facts-w',9,NULL,0);
INSERT INTO "relation" VALUES('shop.c1','shop',0,'facts-x',NULL,NULL,0);
INSERT INTO "relation" VALUES('shop.c2','shop',0,'facts-y',NULL,NULL,0);
INSERT INTO "relation" VALUES('shop.gone','shop',2,NULL,11,50.25,1);
INSERT INTO "relation" VALUES('`a b`.`odd "name".x`','`a b`',0,'facts-o',3,NULL,0);
INSERT INTO "relation" VALUES('a.b.t','a.b',0,NULL,NULL,NULL,0);
CREATE TABLE schema (
	name TEXT NOT NULL, 
	derivation TEXT, 
	interface_hash TEXT NOT NULL, 
	content_hash TEXT, 
	inputs_hash TEXT, 
	derived_facts_hash TEXT, 
	published_hash TEXT, 
	status TEXT NOT NULL, 
	stale INTEGER NOT NULL, 
	reason TEXT NOT NULL, 
	PRIMARY KEY (name)
);
INSERT INTO "schema" VALUES('shop.orders','{"derivation": "t"}','if-t','content-1.1.0','in-t','facts-t','content-1.0.0','OK',0,'');
INSERT INTO "schema" VALUES('shop.customers',NULL,'if-u',NULL,'in-u','facts-u',NULL,'OK',0,'');
INSERT INTO "schema" VALUES('shop.v_orders','{"derivation": "v"}','if-v','c-v','in-v','facts-v','c-v','OK',0,'');
INSERT INTO "schema" VALUES('shop.v_totals',NULL,'!unsupported',NULL,NULL,NULL,NULL,'UNSUPPORTED',1,'function "f" is not known');
INSERT INTO "schema" VALUES('shop.c1',NULL,'!cycle',NULL,NULL,NULL,NULL,'CYCLE',0,'c1 → c2 → c1');
INSERT INTO "schema" VALUES('shop.c2',NULL,'!cycle',NULL,NULL,NULL,NULL,'CYCLE',0,'c2 → c1 → c2');
INSERT INTO "schema" VALUES('shop.gone',NULL,'!missing',NULL,NULL,NULL,NULL,'MISSING',0,'dropped');
INSERT INTO "schema" VALUES('`a b`.`odd "name".x`',NULL,'!broken',NULL,NULL,NULL,NULL,'BROKEN',0,'no column ü');
INSERT INTO "schema" VALUES('a.b.t',NULL,'!unknown',NULL,NULL,NULL,NULL,'UNKNOWN',1,'');
CREATE TABLE singleton (
	name TEXT NOT NULL, 
	fence BIGINT NOT NULL, 
	lease_until FLOAT NOT NULL, 
	note TEXT NOT NULL, 
	PRIMARY KEY (name)
);
INSERT INTO "singleton" VALUES('@brake/hive',0,0.0,'400 of 500 relations are missing');
INSERT INTO "singleton" VALUES('@snapshot/hive',7,100.0,'');
CREATE TABLE source_offset (
	source TEXT NOT NULL, 
	position TEXT NOT NULL, 
	PRIMARY KEY (source)
);
INSERT INTO "source_offset" VALUES('hive','42');
CREATE TABLE version (
	sequence INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	distribution TEXT NOT NULL, 
	number TEXT NOT NULL, 
	relation TEXT NOT NULL, 
	status TEXT NOT NULL, 
	content_hash TEXT, 
	schema_text TEXT, 
	wheel_sha256 TEXT, 
	filename TEXT NOT NULL, 
	wheel BLOB, 
	change TEXT NOT NULL, 
	reasons TEXT NOT NULL, 
	created_at FLOAT NOT NULL, surface_hash TEXT DEFAULT '' NOT NULL, 
	UNIQUE (distribution, number)
);
INSERT INTO "version" VALUES(1,'shop-orders','1.0.0','shop.orders','PUBLISHED','content-1.0.0','{"type": "record"}','abababab','shop_orders-1.0.0-py3-none-any.whl',NULL,'first','["the first version"]',100.5,'surface-1.0.0');
INSERT INTO "version" VALUES(2,'shop-orders','1.0.1','shop.orders','CONFLICT','content-1.0.1','{"type": "record"}','abababab','shop_orders-1.0.1-py3-none-any.whl',NULL,'patch','["the first version"]',100.5,'surface-1.0.1');
INSERT INTO "version" VALUES(3,'shop-orders','1.1.0','shop.orders','RESERVED','content-1.1.0','{"type": "record"}','abababab','shop_orders-1.1.0-py3-none-any.whl',X'00776865656CFF','minor','["added a", "added b"]',100.5,'surface-1.1.0');
INSERT INTO "version" VALUES(4,'shop-customers','0.9.0','shop.customers','PUBLISHED',NULL,NULL,NULL,'shop_orders-0.9.0-py3-none-any.whl',NULL,'','[]',100.5,'');
CREATE TABLE work (
	"key" TEXT NOT NULL, 
	generation BIGINT NOT NULL, 
	min_event_id BIGINT, 
	not_before FLOAT NOT NULL, 
	first_asked FLOAT NOT NULL, 
	attempts INTEGER NOT NULL, 
	retries INTEGER NOT NULL, 
	lease_until FLOAT NOT NULL, 
	fence BIGINT NOT NULL, 
	reread_at FLOAT, 
	urgency INTEGER NOT NULL, 
	last_error TEXT NOT NULL, 
	PRIMARY KEY ("key")
);
INSERT INTO "work" VALUES('shop.orders',1,5,1.0,1.0,1,0,35.0,2,NULL,2,'');
INSERT INTO "work" VALUES('shop.customers',1,NULL,60.0,2.0,0,1,0.0,3,NULL,0,'index unreachable');
INSERT INTO "work" VALUES('shop.v_orders',1,NULL,61.0,3.0,1,1,0.0,4,90.0,1,'the process died');
INSERT INTO "work" VALUES('shop.v_totals',6,12,220.0,200.0,0,0,0.0,0,NULL,0,'');
CREATE INDEX ix_relation_namespace ON relation (namespace);
CREATE INDEX ix_edge_upstream ON edge (upstream);
CREATE INDEX work_due ON work (urgency, not_before);
CREATE UNIQUE INDEX version_open_reservation ON version (distribution) WHERE status = 'RESERVED';
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('version',4);
COMMIT;
