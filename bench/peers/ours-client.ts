import { parseAccount } from '@avm402/algorand/account';
import { createAlgodClient } from '@avm402/algorand/algod';
import { ExactAvmClient } from '@avm402/avm/exact/client';
import { createPayingFetch } from '@avm402/client';
import { serveJobs } from './jobs.ts';
import { required } from './serve.ts';

const at = { url: required('ALGOD_URL'), token: required('ALGOD_TOKEN') };
const algod = createAlgodClient(at);
/** The number of requests that a deposit pays for; without it, each request is paid for by itself. */
const depositMultiple = Number(process.env['DEPOSIT_MULTIPLE']);
const byChannel = { spend: { perPayment: '$100' }, channels: { depositMultiple, maxDeposit: '$100' } };
/** Pays with the first message where it has paid before. */
const preempt = process.env['PREEMPT'] === 'true';

await serveJobs((privateKey) => {
  const account = parseAccount(privateKey);
  const networks = { 'algorand:*': at };
  return {
    fetch: createPayingFetch({ account, networks, preempt, ...(depositMultiple > 0 && byChannel) }),
    scheme: new ExactAvmClient({ account, algod: () => algod }),
  };
});
