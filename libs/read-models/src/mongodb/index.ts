export type { MongoDocumentStoreOptions } from './connection.js';
export { openMongoDocumentStore } from './mongo-document-store.js';
