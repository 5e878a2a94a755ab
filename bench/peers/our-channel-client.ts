import { parseAccount } from '@avm402/algorand/account';
import { createAlgodClient } from '@avm402/algorand/algod';
import { ExactAvmClient } from '@avm402/avm/exact/client';
import { createPayingFetch } from '@avm402/client';
import { serveJobs } from './jobs.ts';
import { required } from './serve.ts';

const at = { url: required('ALGOD_URL'), token: required('ALGOD_TOKEN') };
const algod = createAlgodClient(at);
/** One deposit pays for a million requests, so that what is measured are vouchers. */
const channels = { depositMultiple: 1_000_000, maxDeposit: '$100' };

serveJobs({
  fetchOf: (key) =>
    createPayingFetch({
      account: parseAccount(key),
      networks: { 'algorand:*': at },
      spend: { perPayment: '$100' },
      channels,
      preempt: true,
    }),
  schemeOf: (key) => new ExactAvmClient({ account: parseAccount(key), algod: () => algod }),
});
