export { MONGO_TRAITS, mongoTestDatabase, overMongo } from './test-servers.js';
export type { MongoKind, MongoTestDatabase, MongoTestServer } from './test-servers.js';
export { WireProxy } from './wire-proxy.js';
export type { WireFate } from './wire-proxy.js';
