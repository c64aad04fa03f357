import {
  approvalsProjection,
  importedTasksProjection,
  importsProjection,
  plansProjection,
  quarantineProjection,
  receiptCopiesProjection,
  receiptsProjection,
  sessionsProjection,
  taskTransitionsProjection,
  tasksProjection,
  toolsProjection,
  type ProjectionSet,
} from '@counterfoil/read-models';

/**
 * The read models that every process builds and reads. The version rises with any change of a projection, of its indexes, or of the
 * redaction rules: documents of two versions are never mixed (promise 26).
 */
export const MAIN_SET: ProjectionSet = {
  name: 'main',
  version: 3,
  // In the order in which a batch is written: what a task is joined with is there when the task is.
  projections: [
    receiptsProjection,
    approvalsProjection,
    sessionsProjection,
    plansProjection,
    tasksProjection,
    toolsProjection,
    taskTransitionsProjection,
    importedTasksProjection,
    receiptCopiesProjection,
    quarantineProjection,
    importsProjection,
  ],
};
