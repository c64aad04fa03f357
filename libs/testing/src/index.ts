export * from './document-store/index.js';
export * from './event-store/index.js';
export * from './given/index.js';
export * from './memory-event-store.js';
export * from './model/index.js';
export * from './projections/index.js';
export * from './processes/index.js';
