import { approvalsProjection, receiptsProjection, sessionsProjection, type ProjectionSet } from '@counterfoil/read-models';

/**
 * The read models that every process builds and reads. The version rises with any change of a projection, of its indexes, or of the
 * redaction rules: documents of two versions are never mixed (promise 26).
 */
export const MAIN_SET: ProjectionSet = {
  name: 'main',
  version: 1,
  projections: [receiptsProjection, approvalsProjection, sessionsProjection],
};
