export { documentStoreConformance } from './conformance.js';
export type { DocumentStoreFactory, DocumentStoreFixture, DocumentStoreTraits, Tag } from './fixture.js';
