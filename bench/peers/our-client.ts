import { parseAccount } from '@avm402/algorand/account';
import { createAlgodClient } from '@avm402/algorand/algod';
import { ExactAvmClient } from '@avm402/avm/exact/client';
import { createPayingFetch } from '@avm402/client';
import { serveJobs } from './jobs.ts';
import { required } from './serve.ts';

const at = { url: required('ALGOD_URL'), token: required('ALGOD_TOKEN') };
const algod = createAlgodClient(at);

serveJobs({
  fetchOf: (key) => createPayingFetch({ account: parseAccount(key), networks: { 'algorand:*': at } }),
  schemeOf: (key) => new ExactAvmClient({ account: parseAccount(key), algod: () => algod }),
});
