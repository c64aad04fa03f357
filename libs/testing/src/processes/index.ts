export type { Job, JobDocuments, JobReport } from './job.js';
export { runJob } from './run-job.js';
export type { RunningJob } from './run-job.js';
