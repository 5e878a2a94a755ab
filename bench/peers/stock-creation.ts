import { createPayments, type CreationJob } from '../harness/creation-job.ts';
import { serveJobs } from '../harness/serve-jobs.ts';
import { required } from '../harness/wiring.ts';
import { stockScheme } from './stock-scheme.ts';

const scheme = stockScheme(required('AVM_PRIVATE_KEY'));

serveJobs((job: CreationJob) => createPayments(scheme, job));
