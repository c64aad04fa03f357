import { documentStoreConformance, MONGO_TRAITS, mongoTestDatabase, overMongo } from '@counterfoil/testing';
import { connect } from './connection.js';
import { MongoDocumentStore } from './mongo-document-store.js';
import { watch, type Watched } from './testing/watched.js';

overMongo('the conformance kit', ['A', 'B', 'given'], (server) => {
  documentStoreConformance(
    'mongodb',
    async () => {
      const database = mongoTestDatabase(server);
      const opened: Watched[] = [];
      return {
        open: async () => {
          const connection = await connect({ url: server.url, database: database.name }, true);
          opened.push(watch(connection));
          return new MongoDocumentStore(connection);
        },
        dispose: async () => {
          for (const { connection } of opened) await connection.close();
          await database.dispose();
          // Whatever the tests asked: each query named its index, and each write waited for a majority.
          expect(opened.flatMap(({ faults }) => faults)).toEqual([]);
        },
      };
    },
    MONGO_TRAITS[server.kind],
  );
});
