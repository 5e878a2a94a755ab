import { createAccount, encodePrivateKey } from '@avm402/algorand/account';
import { seedToMnemonic } from '@avm402/algorand/mnemonic';
import { parseArguments, type Command } from './command.ts';
import { ENVIRONMENT_HELP, requireAccount } from './environment.ts';
import { EXIT } from './words/exit-code.ts';

export const keysNew: Command = {
  summary: 'make a new account',
  help: `Usage: avm402 keys new [options]

Makes a new account and prints its address and its secret, in both forms. It stores neither: write the words down before
you fund the account.

      --json              one JSON object instead of text`,
  async run(args, terminal) {
    const { values } = parseArguments(args, { json: { type: 'boolean' } } as const, []);
    const account = createAccount(terminal.random);
    const seed = account.exportSeed();
    const made = { address: account.address, mnemonic: seedToMnemonic(seed), privateKey: encodePrivateKey(seed) };
    if (values.json === true) terminal.printJson(made);
    else {
      terminal.print(`address          ${made.address}`);
      terminal.print(`AVM_MNEMONIC     ${made.mnemonic}`);
      terminal.print(`AVM_PRIVATE_KEY  ${made.privateKey}`);
    }
    return EXIT.done;
  },
};

export const keysShowAddress: Command = {
  summary: "show the environment's address",
  help: `Usage: avm402 keys show-address

Prints the address of AVM_MNEMONIC or AVM_PRIVATE_KEY, never the secret.

${ENVIRONMENT_HELP}`,
  async run(args, terminal) {
    parseArguments(args, {}, []);
    terminal.print(requireAccount(terminal.environment).address);
    return EXIT.done;
  },
};
