import de.bwaldvogel.mongo.MongoBackend;
import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.MongoVersion;
import de.bwaldvogel.mongo.backend.CursorRegistry;
import de.bwaldvogel.mongo.backend.Index;
import de.bwaldvogel.mongo.backend.IndexKey;
import de.bwaldvogel.mongo.backend.h2.H2Backend;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import de.bwaldvogel.mongo.backend.memory.MemoryDatabase;
import de.bwaldvogel.mongo.backend.memory.index.MemoryUniqueIndex;
import de.bwaldvogel.mongo.bson.Document;
import java.util.List;

/** Test server A. Usage: java -cp 'lib/*' MongoWireServer.java PORT [FILE]; prints "listening PORT" and ends when its input does. */
public class MongoWireServer {

    /** The driver refuses the versions that the server itself would state. */
    private static final MongoVersion VERSION = new MongoVersion() {
        @Override
        public List<Integer> getVersionArray() {
            return List.of(5, 0, 0);
        }

        @Override
        public int getWireVersion() {
            return 13;
        }
    };

    public static void main(String[] args) throws Exception {
        MongoBackend backend = args.length > 1 ? new H2Backend(args[1]) : new Backend();
        backend.version(VERSION);
        MongoServer server = new MongoServer(backend);
        server.bind("127.0.0.1", Integer.parseInt(args[0]));
        Runtime.getRuntime().addShutdownHook(new Thread(server::shutdownNow));
        System.out.println("listening " + server.getLocalAddress().getPort());
        // Whoever started this holds the other end: when that process is gone, however it ended, so is this one.
        while (System.in.read() >= 0) {
            continue;
        }
        System.exit(0);
    }

    /** As the server has it, but for the index of ids. */
    private static final class Backend extends MemoryBackend {
        @Override
        public MemoryDatabase openOrCreateDatabase(String name) {
            return new Database(name, getCursorRegistry());
        }
    }

    private static final class Database extends MemoryDatabase {
        Database(String name, CursorRegistry cursors) {
            super(name, cursors);
        }

        @Override
        protected Index<Integer> openOrCreateUniqueIndex(String collection, String name, List<IndexKey> keys, boolean sparse) {
            boolean isOfIds = keys.size() == 1 && keys.get(0).getKey().equals("_id");
            return isOfIds ? new IdIndex(name, keys, sparse) : super.openOrCreateUniqueIndex(collection, name, keys, sparse);
        }
    }

    /**
     * The server takes an index only for a query over exactly its keys, and else looks at every document: a guarded write, which names the
     * id and the guard, would take the longer the more documents there are. What the index finds is still matched with the whole query.
     */
    private static final class IdIndex extends MemoryUniqueIndex {
        IdIndex(String name, List<IndexKey> keys, boolean sparse) {
            super(name, keys, sparse);
        }

        @Override
        public synchronized boolean canHandle(Document query) {
            return super.canHandle(ofId(query));
        }

        @Override
        public synchronized Iterable<Integer> getPositions(Document query) {
            return super.getPositions(ofId(query));
        }

        private static Document ofId(Document query) {
            return query.containsKey("_id") ? new Document("_id", query.get("_id")) : query;
        }
    }
}
