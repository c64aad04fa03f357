export { CheckpointLog } from './checkpoint-log.js';
export { CrashError, CrashingStore } from './crashing-store.js';
export type { Incident } from './crashing-store.js';
export { eventually, plainRegistry, projectionFixture, start } from './projection-fixture.js';
export type { ProjectionFixture, Runnable, Running } from './projection-fixture.js';
export { expectReplayed, projected, replayed } from './replay.js';
export type { LeftOut } from './replay.js';
export { TallyFeed } from './tally-feed.js';
export { DELETING_SECONDS, POISON_SECONDS, PoisonedError, tallySet } from './tally-set.js';
