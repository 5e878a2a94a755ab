// Contracts of a stranger's compiler, on the node, through a stranger's clients: AlgoKit utils 9 and 10, which share these calls.
import { readFileSync } from 'node:fs';
import { AlgorandClient, Config as Config9, microAlgos as microAlgos9 } from 'algokit-utils-9';
import { AlgorandClient as AlgorandClient10, Config as Config10, microAlgos as microAlgos10 } from 'algokit-utils-10';
import { afterAll, beforeAll, beforeEach, describe } from 'vitest';
import { startDevnode, type Devnode } from '../../src/start-devnode.ts';

export type Factory = ReturnType<AlgorandClient['client']['getAppFactory']>;
export type Contract = ReturnType<Factory['getAppClientById']>;
type AlgoAmount = ReturnType<typeof microAlgos9>;

interface Server {
  readonly server: string;
  readonly port: string;
}

interface Servers {
  readonly algodConfig: Server & { readonly token: string };
  readonly indexerConfig: Server;
}

interface Kit {
  readonly version: string;
  readonly connect: (config: Servers) => AlgorandClient;
  readonly microAlgos: (amount: bigint) => AlgoAmount;
}

for (const config of [Config9, Config10]) config.configure({ logger: config.getLogger(true), debug: true });

const KITS: readonly Kit[] = [
  { version: '9.2.2', connect: (config) => AlgorandClient.fromConfig(config), microAlgos: microAlgos9 },
  {
    version: '10.0.0-beta.4',
    // The calls that the tests make are the same in both versions; the classes behind them are not.
    connect: (config) => AlgorandClient10.fromConfig(config) as unknown as AlgorandClient,
    microAlgos: (amount) => microAlgos10(amount) as unknown as AlgoAmount,
  },
];

/** A node, a client of it, and accounts that sign: the payer creates, the others call. */
export class Stage {
  readonly creator: string;
  readonly caller: string;
  readonly other: string;
  readonly node: Devnode;
  readonly client: AlgorandClient;
  readonly microAlgos: Kit['microAlgos'];

  constructor(node: Devnode, client: AlgorandClient, microAlgos: Kit['microAlgos']) {
    [this.node, this.client, this.microAlgos] = [node, client, microAlgos];
    const { payer, payer2, payer3 } = node.accounts;
    for (const { mnemonic } of [payer, payer2, payer3]) client.account.fromMnemonic(mnemonic);
    [this.creator, this.caller, this.other] = [payer.address, payer2.address, payer3.address];
  }

  factory(name: string, options: Partial<Parameters<AlgorandClient['client']['getAppFactory']>[0]> = {}): Factory {
    return this.client.client.getAppFactory({ appSpec: appSpec(name), defaultSender: this.creator, ...options });
  }

  /** A contract that is created without a method, and its account's first funds. */
  async created(name: string, funds = 1_000_000n): Promise<Contract> {
    const { appClient } = await this.factory(name).send.bare.create();
    await this.fund(appClient, funds);
    return appClient;
  }

  async fund(contract: Contract, funds: bigint): Promise<void> {
    await contract.fundAppAccount({ amount: this.microAlgos(funds), note: crypto.randomUUID() });
  }

  /** A payment to a contract, for a method that takes one. */
  payment(contract: Contract, amount: bigint, sender = this.caller) {
    return this.client.createTransaction.payment({
      sender,
      receiver: contract.appAddress,
      amount: this.microAlgos(amount),
      note: crypto.randomUUID(),
    });
  }

  /** A transfer to a contract, for a method that takes one. */
  transfer(contract: Contract, assetId: bigint, amount: bigint, sender = this.caller) {
    return this.client.createTransaction.assetTransfer({
      sender,
      receiver: contract.appAddress,
      assetId,
      amount,
      note: crypto.randomUUID(),
    });
  }

  /** What each call needs to differ from an equal one, and to pay for so many inner transactions. */
  call(sender: string, inner = 0): { sender: string; note: string; extraFee: AlgoAmount } {
    return { sender, note: crypto.randomUUID(), extraFee: this.microAlgos(BigInt(inner) * 1000n) };
  }

  algos(address: { toString(): string }): bigint {
    return this.node.balance(address.toString()).microAlgos;
  }

  assets(address: { toString(): string }, assetId: bigint): bigint | undefined {
    return this.node.balance(address.toString()).assets.get(assetId);
  }
}

/** Runs the tests of a contract with each version. */
export function describeContract(name: string, tests: (stage: () => Stage) => void): void {
  describe.each(KITS)(`${name}, through AlgoKit utils $version`, (kit) => {
    let node: Devnode;
    let stage: Stage;
    beforeAll(async () => {
      node = await startDevnode({ port: 0, indexerPort: 0 });
    });
    afterAll(() => node.stop());
    // A client asks all contracts that it knows about each failure, also those that a test has deleted.
    beforeEach(() => {
      const algodConfig = { ...serverOf(node.url), token: node.token };
      const client = kit.connect({ algodConfig, indexerConfig: serverOf(node.indexerUrl ?? '') });
      stage = new Stage(node, client, kit.microAlgos);
    });
    tests(() => stage);
  });
}

function serverOf(url: string): Server {
  const { protocol, hostname, port } = new URL(url);
  return { server: `${protocol}//${hostname}`, port };
}

/** What the compiler made of a contract, as ARC-56. */
export function appSpec(name: string): string {
  return readFileSync(new URL(`compiled/${name}.arc56.json`, import.meta.url), 'utf8');
}
