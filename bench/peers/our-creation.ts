import { parseAccount } from '@avm402/algorand/account';
import { createAlgodClient } from '@avm402/algorand/algod';
import { ExactAvmClient } from '@avm402/avm/exact/client';
import { createPayments, type CreationJob } from '../harness/creation-job.ts';
import { serveJobs } from '../harness/serve-jobs.ts';
import { required } from '../harness/wiring.ts';

const algod = createAlgodClient({ url: required('ALGOD_URL'), token: required('ALGOD_TOKEN') });
const scheme = new ExactAvmClient({ account: parseAccount(required('AVM_PRIVATE_KEY')), algod: () => algod });

serveJobs((job: CreationJob) => createPayments(scheme, job));
