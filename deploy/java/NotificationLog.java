import java.util.Collections;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hive.metastore.RawStore;
import org.apache.hadoop.hive.metastore.TransactionalMetaStoreEventListener;
import org.apache.hadoop.hive.metastore.api.Database;
import org.apache.hadoop.hive.metastore.api.MetaException;
import org.apache.hadoop.hive.metastore.api.NotificationEvent;
import org.apache.hadoop.hive.metastore.api.SQLNotNullConstraint;
import org.apache.hadoop.hive.metastore.api.Table;
import org.apache.hadoop.hive.metastore.events.AddNotNullConstraintEvent;
import org.apache.hadoop.hive.metastore.events.AlterTableEvent;
import org.apache.hadoop.hive.metastore.events.CreateDatabaseEvent;
import org.apache.hadoop.hive.metastore.events.CreateTableEvent;
import org.apache.hadoop.hive.metastore.events.DropConstraintEvent;
import org.apache.hadoop.hive.metastore.events.DropDatabaseEvent;
import org.apache.hadoop.hive.metastore.events.DropTableEvent;
import org.apache.hadoop.hive.metastore.events.ListenerEvent;
import org.apache.hadoop.hive.metastore.messaging.EventMessage;
import org.apache.hadoop.hive.metastore.messaging.MessageBuilder;
import org.apache.hadoop.hive.metastore.messaging.MessageEncoder;
import org.apache.hadoop.hive.metastore.messaging.MessageFactory;

/**
 * The notification log of Hive 4's metastore for tables, views, databases and NOT NULL.
 *
 * <p>Hive's own DbNotificationListener is in an artifact that is not published for Hive 4. Messages,
 * their format and the table that keeps them are Hive's; they are written in the transaction of the
 * change.
 */
public final class NotificationLog extends TransactionalMetaStoreEventListener {
  private static final MessageBuilder MESSAGES = MessageBuilder.getInstance();

  private final MessageEncoder encoder;

  public NotificationLog(Configuration conf) {
    super(conf);
    encoder = MessageFactory.getDefaultInstance(conf);
  }

  @Override
  public void onCreateTable(CreateTableEvent event) throws MetaException {
    Table table = event.getTable();
    add(event, table, MESSAGES.buildCreateTableMessage(table, Collections.emptyIterator()));
  }

  @Override
  public void onDropTable(DropTableEvent event) throws MetaException {
    add(event, event.getTable(), MESSAGES.buildDropTableMessage(event.getTable()));
  }

  @Override
  public void onAlterTable(AlterTableEvent event) throws MetaException {
    Table before = event.getOldTable();
    Table after = event.getNewTable();
    boolean truncates = event.getIsTruncateOp();
    add(event, after, MESSAGES.buildAlterTableMessage(before, after, truncates, event.getWriteId()));
  }

  @Override
  public void onAddNotNullConstraint(AddNotNullConstraintEvent event) throws MetaException {
    List<SQLNotNullConstraint> constraints = event.getNotNullConstraintCols();
    if (constraints.isEmpty()) {
      return;
    }
    SQLNotNullConstraint any = constraints.get(0);
    EventMessage message = MESSAGES.buildAddNotNullConstraintMessage(constraints);
    add(event, any.getTable_db(), any.getTable_name(), message);
  }

  @Override
  public void onDropConstraint(DropConstraintEvent event) throws MetaException {
    String database = event.getDbName();
    String table = event.getTableName();
    String constraint = event.getConstraintName();
    EventMessage message = MESSAGES.buildDropConstraintMessage(database, table, constraint);
    add(event, database, table, message);
  }

  @Override
  public void onCreateDatabase(CreateDatabaseEvent event) throws MetaException {
    Database database = event.getDatabase();
    add(event, database.getName(), null, MESSAGES.buildCreateDatabaseMessage(database));
  }

  @Override
  public void onDropDatabase(DropDatabaseEvent event) throws MetaException {
    Database database = event.getDatabase();
    add(event, database.getName(), null, MESSAGES.buildDropDatabaseMessage(database));
  }

  private void add(ListenerEvent event, Table table, EventMessage message) throws MetaException {
    add(event, table.getDbName(), table.getTableName(), message);
  }

  private void add(ListenerEvent event, String database, String table, EventMessage message)
      throws MetaException {
    int now = (int) (System.currentTimeMillis() / 1000);
    String text = encoder.getSerializer().serialize(message);
    NotificationEvent entry =
        new NotificationEvent(0, now, message.getEventType().toString(), text);
    entry.setCatName("hive");
    entry.setDbName(database);
    entry.setTableName(table);
    entry.setMessageFormat(encoder.getMessageFormat());
    RawStore store = event.getIHMSHandler().getMS();
    // The first query for their rows creates these tables.
    store.getCurrentNotificationEventId();
    store.addNotificationEvent(entry);
  }
}
