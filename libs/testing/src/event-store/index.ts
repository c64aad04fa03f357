export { eventStoreConformance } from './conformance.js';
export { PLAIN_SETUP, taggedIt } from './harness.js';
export type { EventStoreFactory, EventStoreHarness, EventStoreSetup, EventStoreTraits, TestTag } from './harness.js';
export { collect, eventOfBytes, newEvent, rejectionOf, storedBytes, textEvent, textEvents, textOf } from './new-events.js';
export { temporaryDirectory } from './temporary-directory.js';
export { take, takeBatchByBatch } from './subscribing.js';
export { sealedIn } from './sealed-events.js';
