import { bulkTests } from './bulk-tests.js';
import { collectionTests } from './collection-tests.js';
import { controlTests } from './control-tests.js';
import { droppedTests } from './dropped-tests.js';
import type { DocumentStoreFactory, DocumentStoreTraits } from './fixture.js';
import { guardTests } from './guard-tests.js';
import { oddContentTests } from './odd-content-tests.js';
import { orderTests } from './order-tests.js';
import { pageTests } from './page-tests.js';
import { queryTests } from './query-tests.js';
import { raceTests } from './race-tests.js';
import { sizeTests } from './size-tests.js';
import { uniqueTests } from './unique-tests.js';

/**
 * What every adapter of the document store port must do (design §5, Ports). To be called once in an integration spec of the adapter.
 * @param name of the adapter, for the report
 * @param factory makes an empty store for each test
 * @param traits in which stores lawfully differ
 */
export function documentStoreConformance(name: string, factory: DocumentStoreFactory, traits: DocumentStoreTraits = {}): void {
  describe(`document store: ${name}`, () => {
    guardTests(factory);
    bulkTests(factory);
    uniqueTests(factory, traits);
    raceTests(factory, traits);
    queryTests(factory);
    orderTests(factory, traits);
    pageTests(factory);
    oddContentTests(factory);
    sizeTests(factory, traits);
    collectionTests(factory);
    droppedTests(factory, traits);
    controlTests(factory, traits);
  });
}
