import { createAccount, encodePrivateKey } from '@avm402/algorand/account';
import { seedToMnemonic } from '@avm402/algorand/mnemonic';
import { command } from './command/command.ts';
import { ENVIRONMENT_HELP, requireAccount } from './options/environment.ts';

export const keysNew = command({
  summary: 'make a new account',
  help: `Usage: avm402 keys new [options]

Makes a new account and prints its address and its secret, in both forms. It stores neither: write the words down before
you fund the account.

      --json              one JSON object instead of text`,
  options: { json: { type: 'boolean' } },
  positionals: [],
  async run(_values, { random }) {
    const account = createAccount(random);
    const { address } = account;
    const seed = account.exportSeed();
    const [mnemonic, privateKey] = [seedToMnemonic(seed), encodePrivateKey(seed)];
    const lines = [`address          ${address}`, `AVM_MNEMONIC     ${mnemonic}`, `AVM_PRIVATE_KEY  ${privateKey}`];
    return { json: { address, mnemonic, privateKey }, lines };
  },
});

export const keysShowAddress = command({
  summary: "show the environment's address",
  help: `Usage: avm402 keys show-address

Prints the address of AVM_MNEMONIC or AVM_PRIVATE_KEY, never the secret.

${ENVIRONMENT_HELP}`,
  options: {},
  positionals: [],
  run: async (_values, { environment }) => ({ lines: [requireAccount(environment).address] }),
});
