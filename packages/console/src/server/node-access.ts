import { type AlgodClient, createAlgodClient } from '@avm402/algorand/algod';
import { fetchExchange } from '@avm402/algorand/http-exchange';
import { createDevControls, type DevControls, type DevControlsOptions } from '@avm402/devnode';
import type { Roles } from '../roles.ts';
import { Role } from './role.ts';

/** The node that the console shows. The page does not know its token. */
export class NodeAccess extends Role {
  readonly options: Roles['algod'] & DevControlsOptions;
  readonly algod: AlgodClient;
  /** Only the embedded node has controls. */
  readonly controls: DevControls;
  /** Counts the chains: what was read of one does not hold for the next. */
  chain = 0;

  constructor(options: Roles['algod'], ask: typeof fetch) {
    const { url, token } = options;
    const exchange = fetchExchange(ask);
    super({ name: 'node', url: `${url}/v2`, headers: { 'X-Algo-API-Token': token }, exchange });
    this.options = { ...options, fetch: ask };
    this.algod = createAlgodClient({ ...options, exchange });
    this.controls = createDevControls(this.options);
  }
}
