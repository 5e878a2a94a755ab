import { accounts } from '../../client/test/chain.ts';
import type { Stage } from '../../client/test/stage.ts';
import { run, type Ran, type RunOptions } from './run.ts';

/** The payer's account and the stage's node. */
export function environmentOn(stage: Stage): (more?: Record<string, string>) => Record<string, string> {
  return (more = {}) => ({
    AVM_MNEMONIC: accounts.payer.mnemonic,
    ALGOD_URL: stage.chain.url,
    ALGOD_TOKEN: stage.chain.token,
    ...more,
  });
}

/** Runs `avm402 pay` with them. */
export function payOn(stage: Stage): (args: readonly string[], options?: RunOptions) => Promise<Ran> {
  const environment = environmentOn(stage);
  return (args, options = {}) => run(['pay', ...args], { environment: environment(), ...options });
}
