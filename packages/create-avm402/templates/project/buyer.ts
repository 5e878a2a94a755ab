import { createPayingFetch, parseAccount, settlementOf } from '@avm402/client';

// Whose money is spent, and the node that says what became of it.
const { AVM_MNEMONIC = '', ALGOD_URL = '', ALGOD_TOKEN = '', PORT } = process.env;

const fetchPaid = createPayingFetch({
  account: parseAccount(AVM_MNEMONIC),
  networks: { 'algorand:*': { url: ALGOD_URL, token: ALGOD_TOKEN } },
  spend: { perPayment: '$0.10', perDay: '$5' },
});

export const response = await fetchPaid(`http://127.0.0.1:${PORT || 4024}/joke`);
export const joke = await response.json();
export const transaction = settlementOf(response)?.transaction;
console.log(response.status, joke, `settled by ${transaction}`);
