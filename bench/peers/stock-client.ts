import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { paymentWork } from '../harness/payment-job.ts';
import { serveJobs } from '../harness/serve-jobs.ts';
import { stockScheme } from './stock-scheme.ts';

serveJobs(
  paymentWork((privateKey) =>
    wrapFetchWithPayment(fetch, new x402Client().register('algorand:*', stockScheme(privateKey))),
  ),
);
