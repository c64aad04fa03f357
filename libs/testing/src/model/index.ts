export { historyOf, LONGEST, playHistory } from './history.js';
export { MODELLED } from './live-models.js';
export { mustBeStored } from './stored.js';
export { MAY_BE_MET, TO_BE_MET } from './to-be-met.js';
export { ModelFault, World } from './world.js';
export type { Step } from './steps.js';
