export { eventStoreConformance } from './conformance.js';
export { PLAIN_SETUP } from './harness.js';
export type { EventStoreFactory, EventStoreHarness, EventStoreSetup, EventStoreTraits } from './harness.js';
export { collect, eventOfBytes, newEvent, rejectionOf, storedBytes, textEvent, textEvents, textOf } from './new-events.js';
export { temporaryDirectory } from './temporary-directory.js';
