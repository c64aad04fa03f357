export { MONGO_TRAITS, mongoTestDatabase, overMongo } from './test-servers.js';
export type { MongoKind, MongoTestDatabase, MongoTestServer } from './test-servers.js';
export { collectionOf } from './wire-messages.js';
export { WireProxy } from './wire-proxy.js';
export type { DecideFate, WireFate, WireObserver } from './wire-proxy.js';
export { wireWriteReader } from './wire-writes.js';
export type { Fields, ReadWrites, WireWrite, WireWriteFate } from './wire-writes.js';
