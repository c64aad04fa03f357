export { IMPORTED_TASK_INDEXES, importedTaskFields, importedTasksProjection } from './projection.js';
export { findImportedTasks, getImportedTask, planImportedTasks, splitImportedTaskQuery } from './queries.js';
export type { ImportedTaskFilters, ImportedTaskSources } from './queries.js';
