import { parseAccount } from '@avm402/algorand/account';
import { createAlgodClient } from '@avm402/algorand/algod';
import { ExactAvmServer } from '@avm402/avm/exact/server';
import { createFacilitator, createKeepAliveExchange, createSqliteSettlementStore } from '@avm402/facilitator';
import { paymentMiddleware, x402ResourceServer } from '@avm402/server';
import { network, required, routes, sell } from './serve.ts';

// Server and facilitator in one process.
const algod = createAlgodClient({
  url: required('ALGOD_URL'),
  token: required('ALGOD_TOKEN'),
  exchange: createKeepAliveExchange(),
});
const facilitator = createFacilitator({
  networks: [{ algods: [algod] }],
  sponsorship: {
    account: parseAccount(required('AVM_PRIVATE_KEY')),
    payTo: [required('AVM_ADDRESS')],
    payToBudget: BigInt(required('SPONSOR_PAY_TO_BUDGET')),
    payerBudget: BigInt(required('SPONSOR_PAYER_BUDGET')),
  },
  store: createSqliteSettlementStore({ path: required('SETTLEMENT_STORE') }),
});
const resources = new x402ResourceServer(facilitator).register(network, new ExactAvmServer());
await sell(paymentMiddleware(routes, resources));
