import { bigTests } from './big-tests.js';
import { concurrencyTests } from './concurrency-tests.js';
import { conflictTests } from './conflict-tests.js';
import { foreignTests } from './foreign-tests.js';
import { handoverTests } from './handover-tests.js';
import type { EventStoreFactory, EventStoreTraits } from './harness.js';
import { oddTextTests } from './odd-text-tests.js';
import { readTests } from './read-tests.js';
import { refusalTests } from './refusal-tests.js';
import { restoreRefusalTests } from './restore-refusal-tests.js';
import { restoreTests } from './restore-tests.js';
import { retryTests } from './retry-tests.js';
import { sealTests } from './seal-tests.js';
import { subscriptionTests } from './subscription-tests.js';
import { twoStoreTests } from './two-store-tests.js';
import { upcastTests } from './upcast-tests.js';

/**
 * What every adapter of the event store port must do (design §5, Ports). To be called once in an integration spec of the adapter.
 *
 * @param name of the adapter, for the report
 * @param factory makes an empty store for each test
 * @param traits in which adapters lawfully differ
 */
export function eventStoreConformance(name: string, factory: EventStoreFactory, traits: EventStoreTraits = {}): void {
  describe(`event store: ${name}`, () => {
    conflictTests(factory);
    retryTests(factory);
    refusalTests(factory);
    readTests(factory, traits);
    oddTextTests(factory);
    concurrencyTests(factory, traits);
    subscriptionTests(factory);
    upcastTests(factory);
    bigTests(factory);
    handoverTests(factory);
    twoStoreTests(factory);
    restoreTests(factory, traits);
    restoreRefusalTests(factory);
    sealTests(factory);
    foreignTests(factory, traits);
  });
}
