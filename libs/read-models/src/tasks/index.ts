export { EVIDENCE_TEXT_LIMIT_BYTES } from './evidence.js';
export { LAST_RECEIPTS } from './evolve.js';
export { TASK_INDEXES, taskFields, tasksProjection } from './projection.js';
export { findTasks, planTasks, readTask, splitTaskQuery, TaskListQuery } from './queries.js';
export type { TaskFilters, TaskSources } from './queries.js';
export { taskReading } from './reading.js';
export type { ReceiptFacts } from './reading.js';
export { taskKey } from './touched.js';
export type { TaskRef } from './touched.js';
