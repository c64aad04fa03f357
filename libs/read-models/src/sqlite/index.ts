export { openSqliteDocumentStore } from './sqlite-document-store.js';
export type { SqliteDocumentStoreOptions } from './sqlite-document-store.js';
