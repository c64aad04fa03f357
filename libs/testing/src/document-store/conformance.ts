import { collectionTests } from './collection-tests.js';
import { controlTests } from './control-tests.js';
import type { DocumentStoreFactory } from './fixture.js';
import { guardTests } from './guard-tests.js';
import { oddContentTests } from './odd-content-tests.js';
import { pageTests } from './page-tests.js';
import { queryTests } from './query-tests.js';
import { raceTests } from './race-tests.js';

/**
 * What every adapter of the document store port must do (design §5, Ports). To be called once in an integration spec of the adapter.
 * @param name of the adapter, for the report
 * @param factory makes an empty store for each test
 */
export function documentStoreConformance(name: string, factory: DocumentStoreFactory): void {
  describe(`document store: ${name}`, () => {
    guardTests(factory);
    raceTests(factory);
    queryTests(factory);
    pageTests(factory);
    oddContentTests(factory);
    collectionTests(factory);
    controlTests(factory);
  });
}
