BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0012');
CREATE TABLE counter (
	name TEXT NOT NULL, 
	value BIGINT NOT NULL, 
	PRIMARY KEY (name)
);
INSERT INTO "counter" VALUES('tick',11);
CREATE TABLE dead_letter (
	id INTEGER NOT NULL, 
	source TEXT NOT NULL, 
	payload BLOB NOT NULL, 
	reason TEXT NOT NULL, 
	namespace TEXT, 
	received_at FLOAT NOT NULL, payload_length INTEGER, 
	PRIMARY KEY (id)
);
CREATE TABLE edge (
	dependent TEXT NOT NULL, 
	upstream TEXT NOT NULL, 
	position INTEGER NOT NULL, 
	used TEXT, 
	PRIMARY KEY (dependent, upstream)
);
INSERT INTO "edge" VALUES('shop.places','shop.orders',0,'0a3b68259ed53d5c79454684829140f774afc2101dbf0826bd4da1423fb5d7b0');
INSERT INTO "edge" VALUES('shop.wrong','shop.orders',0,'0a3b68259ed53d5c79454684829140f774afc2101dbf0826bd4da1423fb5d7b0');
CREATE TABLE filling (
	target TEXT NOT NULL, 
	source TEXT NOT NULL, 
	mark TEXT NOT NULL, 
	first_at FLOAT NOT NULL, 
	last_at FLOAT NOT NULL, 
	statement TEXT NOT NULL, 
	user TEXT NOT NULL, 
	columns TEXT NOT NULL, 
	PRIMARY KEY (target, source, mark)
);
CREATE TABLE memo (
	inputs_hash TEXT NOT NULL, 
	status TEXT NOT NULL, 
	derivation TEXT, 
	reason TEXT NOT NULL, 
	remembered_at FLOAT NOT NULL, 
	PRIMARY KEY (inputs_hash)
);
CREATE TABLE relation (
	name TEXT NOT NULL, 
	namespace TEXT NOT NULL, 
	incarnation INTEGER NOT NULL, 
	facts_hash TEXT, 
	read_event_id BIGINT, 
	missing_since FLOAT, 
	yanked INTEGER NOT NULL, read_at FLOAT, index_check_due INTEGER DEFAULT '0' NOT NULL, 
	PRIMARY KEY (name)
);
INSERT INTO "relation" VALUES('shop.`order-lines`','shop',1,'3ce45368d4499236d6dd2e9f07ae430c78ce0ff0071364227971c6a1392cf04e',NULL,NULL,0,1.79598329974726247785e+09,0);
INSERT INTO "relation" VALUES('shop.orders','shop',1,'99817331db6c05e166dbc792efbfc6ea3f806b2efcefe132c073fe0a4d1532d0',NULL,NULL,0,1.79598333836661362651e+09,0);
INSERT INTO "relation" VALUES('shop.places','shop',1,'c12fea35e194af6022fe1328f647e03e36b1d2881d83fc2c72f1bcc1c966074e',NULL,NULL,0,1.79598334046329045294e+09,0);
INSERT INTO "relation" VALUES('shop.wrong','shop',1,'868a937bb52e3f44480949402f12f04b7885c8e2259ffd4cd8a29ad6b743b558',NULL,NULL,0,1.79598334046329045294e+09,0);
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
	reason TEXT NOT NULL, fingerprint TEXT, republish_after BIGINT, 
	PRIMARY KEY (name)
);
INSERT INTO "schema" VALUES('shop.`order-lines`','{"interface":{"name":["shop","order-lines"],"columns":[["id","bigint",null,true]],"schema":"{\"type\":\"record\",\"name\":\"OrderLines\",\"namespace\":\"shop.order_x2Dlines\",\"fields\":[{\"name\":\"id\",\"type\":[\"null\",\"long\"],\"default\":null}]}"},"upstreams":[],"lineage":[]}','d0f6c9e182eba7ee248e3634c9c311dbe8b0254f59d8b8f66e5a5d9dab2a29a2','347ec001906b8727836d752b7add0cbc2ab42b30bf5651a72e9e2c0c6630c71c','72fb4d1f12883e921e7cbace52a7969d108017da5ddeafde2b21b942cee5f5ed','3ce45368d4499236d6dd2e9f07ae430c78ce0ff0071364227971c6a1392cf04e','347ec001906b8727836d752b7add0cbc2ab42b30bf5651a72e9e2c0c6630c71c','OK',0,'','63b64be3b80363a879d57e65a994783fb12c3766c492d716ca5a7dc4b85f5bea',NULL);
INSERT INTO "schema" VALUES('shop.orders','{"interface":{"name":["shop","orders"],"columns":[["id","bigint",null,true],["place",["struct",[["street","string",true,null],["unit","string",true,null]]],null,true],["note","string",null,true]],"schema":"{\"type\":\"record\",\"name\":\"Orders\",\"namespace\":\"shop.orders\",\"fields\":[{\"name\":\"id\",\"type\":[\"null\",\"long\"],\"default\":null},{\"name\":\"place\",\"type\":[\"null\",{\"type\":\"record\",\"name\":\"place\",\"namespace\":\"shop.orders.Orders\",\"fields\":[{\"name\":\"street\",\"type\":[\"null\",\"string\"],\"default\":null},{\"name\":\"unit\",\"type\":[\"null\",\"string\"],\"default\":null}]}],\"default\":null},{\"name\":\"note\",\"type\":[\"null\",\"string\"],\"default\":null}]}"},"upstreams":[],"lineage":[]}','0a3b68259ed53d5c79454684829140f774afc2101dbf0826bd4da1423fb5d7b0',NULL,'27f8fd0db649a29a3e9e2b468ed0e205a0c82579da4fca0604146663f59452e1','99817331db6c05e166dbc792efbfc6ea3f806b2efcefe132c073fe0a4d1532d0',NULL,'OK',0,'','2223feb55bec0a9fd70e27457f856815dc622bccb556b0cefa985e1710ae874f',NULL);
INSERT INTO "schema" VALUES('shop.places','{"interface":{"name":["shop","places"],"columns":[["id","bigint",null,true],["place",["struct",[["street","string",true,null],["unit","string",true,null]]],null,true]],"schema":"{\"type\":\"record\",\"name\":\"places\",\"namespace\":\"shop.places\",\"fields\":[{\"name\":\"id\",\"type\":[\"null\",\"long\"],\"default\":null},{\"name\":\"place\",\"type\":[\"null\",{\"type\":\"record\",\"name\":\"place\",\"namespace\":\"shop.places.places\",\"fields\":[{\"name\":\"street\",\"type\":[\"null\",\"string\"],\"default\":null},{\"name\":\"unit\",\"type\":[\"null\",\"string\"],\"default\":null}]}],\"default\":null}]}"},"upstreams":[["shop","orders"]],"lineage":[["id",[[["shop","orders"],"id",[]]]],["place",[[["shop","orders"],"place",[]]]]],"influences":{"rows":[],"columns":[["","identity",[]],["","identity",[]]]}}','1dcfae61986905a4b9314fd07d65b2619e393b180c7ff599c13eb9faac8424ab','81e4982de06faca66ed3a4471c470a6bd96adccae6ae4ccec8f57968094a5bb1','7505af836f20b59bd71758b62c878e0ccfbbd7a6dc93f7f2742e812af302ce82','c12fea35e194af6022fe1328f647e03e36b1d2881d83fc2c72f1bcc1c966074e','81e4982de06faca66ed3a4471c470a6bd96adccae6ae4ccec8f57968094a5bb1','OK',0,'','87dccd6d7b39959fcd2163756e38a1e9d40cc09186f5a7f70e84ee19e6623dd7',NULL);
INSERT INTO "schema" VALUES('shop.wrong',NULL,'!broken',NULL,'b6a3c0cebc78cd166f26724bd527af5efc440432f9c78afda50594d695dd4ef6','868a937bb52e3f44480949402f12f04b7885c8e2259ffd4cd8a29ad6b743b558',NULL,'BROKEN',0,'shop.wrong: column nothing does not exist at line 1, column 8 (the columns are id, place, note)',NULL,NULL);
CREATE TABLE searched (
	id INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	content_hash TEXT, 
	PRIMARY KEY (id), 
	UNIQUE (name)
);
INSERT INTO "searched" VALUES(1,'shop.`order-lines`','347ec001906b8727836d752b7add0cbc2ab42b30bf5651a72e9e2c0c6630c71c');
INSERT INTO "searched" VALUES(2,'shop.orders',NULL);
INSERT INTO "searched" VALUES(3,'shop.places','81e4982de06faca66ed3a4471c470a6bd96adccae6ae4ccec8f57968094a5bb1');
CREATE TABLE singleton (
	name TEXT NOT NULL, 
	fence BIGINT NOT NULL, 
	lease_until FLOAT NOT NULL, 
	note TEXT NOT NULL, 
	PRIMARY KEY (name)
);
INSERT INTO "singleton" VALUES('clock',0,0.0,'{"boot": "8990006c-f799-4083-a94e-95b55eb49f98", "offset": 1795979074.2456105, "mark": 1795983335.8950284}');
INSERT INTO "singleton" VALUES('@snapshot/ddl',7,0.0,'{"ended_at": 1795983335.8949308, "listed": 4, "differing": 1, "missing": 0}');
INSERT INTO "singleton" VALUES('@snapshot-due',0,0.0,'');
INSERT INTO "singleton" VALUES('@selection/ddl',0,0.0,'{"include": ["*.*"], "exclude": ["shop.orders"]}');
INSERT INTO "singleton" VALUES('@generator/ddl',0,0.0,'d4aa08d990a67c7a sampled, avro 1.12.2, fastavro 1.13.1');
INSERT INTO "singleton" VALUES('snapshot-ended/ddl',0,0.0,'1795983335.894999');
INSERT INTO "singleton" VALUES('snapshot-seconds/ddl',0,0.0,'0.09974884986877441');
INSERT INTO "singleton" VALUES('@index/ddl',0,0.0,'{"checked": 2, "differing": 0, "adopted": 0, "held": [], "foreign": [], "failed": {}}');
INSERT INTO "singleton" VALUES('index-held/ddl',0,0.0,'');
CREATE TABLE source_offset (
	source TEXT NOT NULL, 
	position TEXT NOT NULL, 
	PRIMARY KEY (source)
);
CREATE TABLE tally (
	subject TEXT NOT NULL, 
	value TEXT NOT NULL, 
	number BIGINT NOT NULL, 
	PRIMARY KEY (subject, value)
);
INSERT INTO "tally" VALUES('work','',0);
INSERT INTO "tally" VALUES('relation','OK',3);
INSERT INTO "tally" VALUES('relation','STALE',0);
INSERT INTO "tally" VALUES('version','RESERVED',0);
INSERT INTO "tally" VALUES('version','PUBLISHED',3);
INSERT INTO "tally" VALUES('relation','BROKEN',1);
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
	created_at FLOAT NOT NULL, surface_hash TEXT DEFAULT '' NOT NULL, runtime TEXT DEFAULT '' NOT NULL, provenance TEXT DEFAULT '' NOT NULL, 
	UNIQUE (distribution, number)
);
INSERT INTO "version" VALUES(1,'acme-schema-shop-order-lines-xouc3jrrxf7ttu4pl','1.0.0','shop.`order-lines`','PUBLISHED','347ec001906b8727836d752b7add0cbc2ab42b30bf5651a72e9e2c0c6630c71c','{"type":"record","name":"OrderLines","namespace":"shop.order_x2Dlines","fields":[{"name":"id","type":["null","long"],"default":null}]}','dd104afe58cc7894fac36b38a19ada0ad164c24b7ad592c0163331488b208a3e','acme_schema_shop_order_lines_xouc3jrrxf7ttu4pl-1.0.0-py3-none-any.whl',NULL,'first','["first version"]',1.79598329991784167293e+09,'e1f415fd60e0636f137a80ce69b7a32f2f7795a31a1f407084728573a819ed0d','d4aa08d990a67c7a','{
 "change": "first",
 "changelog": [{"change": "first", "lines": ["first version"], "version": "1.0.0"}],
 "content_hash": "347ec001906b8727836d752b7add0cbc2ab42b30bf5651a72e9e2c0c6630c71c",
 "distribution": "acme-schema-shop-order-lines-xouc3jrrxf7ttu4pl",
 "event_id": null,
 "fingerprints": {"crc-64-avro": "c78d1577ee823376", "sha-256": "63b64be3b80363a879d57e65a994783fb12c3766c492d716ca5a7dc4b85f5bea"},
 "generator": {"name": "schema-publisher", "runtime_version": "d4aa08d990a67c7a", "version": "0.2.0"},
 "import": "acme_schemas.shop.order_lines_xiqbjuuixquzdxrnk",
 "kind": "table",
 "labels": {},
 "lineage": {},
 "reasons": ["first version"],
 "record": "OrderLines",
 "relation": ["shop", "order-lines"],
 "surface_hash": "e1f415fd60e0636f137a80ce69b7a32f2f7795a31a1f407084728573a819ed0d",
 "upstreams": {},
 "version": "1.0.0",
 "view_text": null
}
');
INSERT INTO "version" VALUES(2,'acme-schema-shop-places','1.0.0','shop.places','PUBLISHED','a38c36d88e486050a7e7400b1d3651b0609ea179178e5182d08deeb73ccfe91a','{"type":"record","name":"places","namespace":"shop.places","fields":[{"name":"id","type":["null","long"],"default":null},{"name":"place","type":["null",{"type":"record","name":"place","namespace":"shop.places.places","fields":[{"name":"street","type":["null","string"],"default":null}]}],"default":null}]}','fbcd38a22699985f0c7a6b0cdf9e174810e797db1a339c62e5f8912640f62c79','acme_schema_shop_places-1.0.0-py3-none-any.whl',NULL,'first','["first version"]',1.79598330137779569628e+09,'ce18382e5927c075bd965c689c2c69bd80f4ea9451a450dced61b3ab42084147','d4aa08d990a67c7a','{
 "change": "first",
 "changelog": [{"change": "first", "lines": ["first version"], "version": "1.0.0"}],
 "content_hash": "a38c36d88e486050a7e7400b1d3651b0609ea179178e5182d08deeb73ccfe91a",
 "distribution": "acme-schema-shop-places",
 "event_id": null,
 "fingerprints": {"crc-64-avro": "5c2834f272bbfc4a", "sha-256": "8e05ee69c1ac0101928174f97a3a579378e9cd5a25273adda76577996b9932ca"},
 "generator": {"name": "schema-publisher", "runtime_version": "d4aa08d990a67c7a", "version": "0.2.0"},
 "import": "acme_schemas.shop.places",
 "kind": "view",
 "labels": {},
 "lineage": {"id": ["shop.orders.id"], "place": ["shop.orders.place"]},
 "reasons": ["first version"],
 "record": "Places",
 "relation": ["shop", "places"],
 "surface_hash": "ce18382e5927c075bd965c689c2c69bd80f4ea9451a450dced61b3ab42084147",
 "upstreams": {"shop.orders": "59309191629bf6d0f7130f6ae30cd6d40c825d48a5f8067fca0cf244f3d86dea"},
 "version": "1.0.0",
 "view_text": "SELECT Id, place FROM shop.orders"
}
');
INSERT INTO "version" VALUES(3,'acme-schema-shop-places','1.1.0','shop.places','PUBLISHED','81e4982de06faca66ed3a4471c470a6bd96adccae6ae4ccec8f57968094a5bb1','{"type":"record","name":"places","namespace":"shop.places","fields":[{"name":"id","type":["null","long"],"default":null},{"name":"place","type":["null",{"type":"record","name":"place","namespace":"shop.places.places","fields":[{"name":"street","type":["null","string"],"default":null},{"name":"unit","type":["null","string"],"default":null}]}],"default":null}]}','6f34c83cea4c13c3d58d7e561102764281314cb4749b4f8f850ef78954e75045','acme_schema_shop_places-1.1.0-py3-none-any.whl',NULL,'minor','["field `place.unit` added: optional string, default null"]',1.79598334050849294659e+09,'76f435b94ac4462eaf79c5b737344f2d69253a4d276f75134d48853fb23c306c','d4aa08d990a67c7a','{
 "change": "minor",
 "changelog": [{"change": "minor", "lines": ["field `place.unit` added: optional string, default null"], "version": "1.1.0"}, {"change": "first", "lines": ["first version"], "version": "1.0.0"}],
 "content_hash": "81e4982de06faca66ed3a4471c470a6bd96adccae6ae4ccec8f57968094a5bb1",
 "distribution": "acme-schema-shop-places",
 "earlier_schemas": [["1.0.0"]],
 "event_id": null,
 "fingerprints": {"crc-64-avro": "3e73d50a599fa2c9", "sha-256": "87dccd6d7b39959fcd2163756e38a1e9d40cc09186f5a7f70e84ee19e6623dd7"},
 "generator": {"name": "schema-publisher", "runtime_version": "d4aa08d990a67c7a", "version": "0.2.0"},
 "import": "acme_schemas.shop.places",
 "kind": "view",
 "labels": {},
 "lineage": {"id": ["shop.orders.id"], "place": ["shop.orders.place"]},
 "reasons": ["field `place.unit` added: optional string, default null"],
 "record": "Places",
 "relation": ["shop", "places"],
 "surface_hash": "76f435b94ac4462eaf79c5b737344f2d69253a4d276f75134d48853fb23c306c",
 "upstreams": {"shop.orders": "2223feb55bec0a9fd70e27457f856815dc622bccb556b0cefa985e1710ae874f"},
 "version": "1.1.0",
 "view_text": "SELECT Id, place FROM shop.orders"
}
');
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
	last_error TEXT NOT NULL, failures INTEGER DEFAULT '0' NOT NULL, 
	PRIMARY KEY ("key")
);
CREATE INDEX ix_relation_namespace ON relation (namespace);
CREATE INDEX ix_edge_upstream ON edge (upstream);
CREATE UNIQUE INDEX version_open_reservation ON version (distribution) WHERE status = 'RESERVED';
CREATE TRIGGER tally_schema_insert AFTER INSERT ON "schema" FOR EACH ROW  BEGIN INSERT INTO tally (subject, value, number) VALUES ('relation', CASE WHEN NEW.stale THEN 'STALE' ELSE NEW.status END, 1) ON CONFLICT (subject, value) DO UPDATE SET number = number + 1; END;
CREATE TRIGGER tally_schema_delete AFTER DELETE ON "schema" FOR EACH ROW  BEGIN INSERT INTO tally (subject, value, number) VALUES ('relation', CASE WHEN OLD.stale THEN 'STALE' ELSE OLD.status END, -1) ON CONFLICT (subject, value) DO UPDATE SET number = number + -1; END;
CREATE TRIGGER tally_schema_update AFTER UPDATE ON "schema" FOR EACH ROW WHEN CASE WHEN OLD.stale THEN 'STALE' ELSE OLD.status END IS NOT CASE WHEN NEW.stale THEN 'STALE' ELSE NEW.status END BEGIN INSERT INTO tally (subject, value, number) VALUES ('relation', CASE WHEN OLD.stale THEN 'STALE' ELSE OLD.status END, -1) ON CONFLICT (subject, value) DO UPDATE SET number = number + -1; INSERT INTO tally (subject, value, number) VALUES ('relation', CASE WHEN NEW.stale THEN 'STALE' ELSE NEW.status END, 1) ON CONFLICT (subject, value) DO UPDATE SET number = number + 1; END;
CREATE TRIGGER tally_version_insert AFTER INSERT ON "version" FOR EACH ROW  BEGIN INSERT INTO tally (subject, value, number) VALUES ('version', NEW.status, 1) ON CONFLICT (subject, value) DO UPDATE SET number = number + 1; END;
CREATE TRIGGER tally_version_delete AFTER DELETE ON "version" FOR EACH ROW  BEGIN INSERT INTO tally (subject, value, number) VALUES ('version', OLD.status, -1) ON CONFLICT (subject, value) DO UPDATE SET number = number + -1; END;
CREATE TRIGGER tally_version_update AFTER UPDATE ON "version" FOR EACH ROW WHEN OLD.status IS NOT NEW.status BEGIN INSERT INTO tally (subject, value, number) VALUES ('version', OLD.status, -1) ON CONFLICT (subject, value) DO UPDATE SET number = number + -1; INSERT INTO tally (subject, value, number) VALUES ('version', NEW.status, 1) ON CONFLICT (subject, value) DO UPDATE SET number = number + 1; END;
CREATE TRIGGER tally_work_insert AFTER INSERT ON "work" FOR EACH ROW  BEGIN INSERT INTO tally (subject, value, number) VALUES ('work', '', 1) ON CONFLICT (subject, value) DO UPDATE SET number = number + 1; END;
CREATE TRIGGER tally_work_delete AFTER DELETE ON "work" FOR EACH ROW  BEGIN INSERT INTO tally (subject, value, number) VALUES ('work', '', -1) ON CONFLICT (subject, value) DO UPDATE SET number = number + -1; END;
CREATE TRIGGER tally_dead_letter_insert AFTER INSERT ON "dead_letter" FOR EACH ROW  BEGIN INSERT INTO tally (subject, value, number) VALUES ('dead letter', '', 1) ON CONFLICT (subject, value) DO UPDATE SET number = number + 1; END;
CREATE TRIGGER tally_dead_letter_delete AFTER DELETE ON "dead_letter" FOR EACH ROW  BEGIN INSERT INTO tally (subject, value, number) VALUES ('dead letter', '', -1) ON CONFLICT (subject, value) DO UPDATE SET number = number + -1; END;
CREATE INDEX schema_in_trouble ON schema (name) WHERE reason != '';
CREATE INDEX version_conflict ON version (sequence) WHERE status = 'CONFLICT';
CREATE INDEX work_oldest ON work (failures, first_asked);
CREATE INDEX work_due ON work (urgency, not_before, "key");
CREATE INDEX work_claimable ON work (CASE WHEN (lease_until > not_before) THEN lease_until ELSE not_before END);
CREATE INDEX ix_filling_source ON filling (source);
CREATE INDEX ix_filling_last_at ON filling (last_at);
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('version',3);
CREATE VIRTUAL TABLE search USING fts5(fields, documentation, tokenize = "unicode61 remove_diacritics 0");
INSERT INTO search(rowid, fields, documentation) VALUES (1, 'id', '');
INSERT INTO search(rowid, fields, documentation) VALUES (2, 'id
place
note
street
unit', '');
INSERT INTO search(rowid, fields, documentation) VALUES (3, 'id
place
street
unit', '');
COMMIT;
