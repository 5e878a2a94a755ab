import { parseAccount } from '@avm402/algorand/account';
import { createPayingFetch } from '@avm402/client';
import { paymentWork } from '../harness/payment-job.ts';
import { serveJobs } from '../harness/serve-jobs.ts';
import { required } from '../harness/wiring.ts';

const algod = { url: required('ALGOD_URL'), token: required('ALGOD_TOKEN') };

const preempt = required('PREEMPT') === 'true';

serveJobs(
  paymentWork((privateKey) =>
    createPayingFetch({ account: parseAccount(privateKey), networks: { 'algorand:*': algod }, preempt }),
  ),
);
