import { type ChannelView, createPayer, type PayerChannels, type Recovery } from '@avm402/client';
import type { FileChannelStore } from '@avm402/client/file-channel-store';
import { openFileJournal } from '@avm402/client/file-journal';
import { X402Error } from '@avm402/core/errors';
import { parseAtomicAmount, withSeparators } from '@avm402/core/price';
import { command, type OptionValues, valueOf } from './command/command.ts';
import { algodOf, ENVIRONMENT_HELP } from './options/environment.ts';
import { networkOf } from './node/node-network.ts';
import { CHANNEL_FILE_HELP, CHANNEL_FILE_OPTION, withChannelFile } from './options/channel-file.ts';
import { withHeldFile } from './options/held-file.ts';
import { payerWorld } from './options/payer-world.ts';
import { payingAccount } from './options/paying-account.ts';
import type { Terminal } from './command/terminal.ts';
import { EXIT } from './words/exit-code.ts';
import { explain, type Explanation } from './words/explain.ts';
import { inChannel } from './words/show.ts';

const COMMON_OPTIONS = { ...CHANNEL_FILE_OPTION, from: { type: 'string' }, json: { type: 'boolean' } } as const;
const RETURN_OPTIONS = { ...COMMON_OPTIONS, journal: { type: 'string' } } as const;
type Values = OptionValues<typeof COMMON_OPTIONS> & { readonly journal?: string | undefined };
const NONE = 'the file has no open channel';

const COMMON_HELP = `${CHANNEL_FILE_HELP}
      --from ADDRESS      the account that deposited, when it is rekeyed to the key
      --json              JSON instead of text

${ENVIRONMENT_HELP}`;

const RETURN_HELP = `      --journal FILE      the journal of "pay" or "mcp": what comes back counts no more against its limits
${COMMON_HELP}`;

/** Does work with the channels of the environment's account. */
async function withChannels<T>(
  { channels: file, from, journal: kept }: Values,
  terminal: Terminal,
  work: (channels: PayerChannels) => Promise<T>,
): Promise<T> {
  const journal = kept === undefined ? undefined : await openFileJournal(kept);
  const withStore = async (store: FileChannelStore): Promise<T> => {
    const account = await payingAccount(terminal, from);
    const payer = { account, ...payerWorld(terminal), channels: { store }, ...(journal && { journal }) };
    const { channels } = createPayer(payer);
    if (channels) return work(channels);
    throw new X402Error('channel_unavailable');
  };
  return withHeldFile(journal, terminal, () => withChannelFile(file, terminal, withStore));
}

export const channelsList = command({
  summary: 'list open channels',
  help: `Usage: avm402 channels list [options]

Lists the open channels in the file: what was deposited and charged, and when each expires.

${COMMON_HELP}`,
  options: COMMON_OPTIONS,
  positionals: [],
  async run(values, terminal) {
    const views = await withChannels(values, terminal, (channels) => channels.list());
    return { json: views.map(shown), lines: views.length === 0 ? [NONE] : views.flatMap(linesOf) };
  },
});

export const channelsClose = command({
  summary: 'ask the seller to close a channel',
  help: `Usage: avm402 channels close CHANNEL [options]

Asks the seller to close a channel: the seller gets what was charged, and the rest comes back at once. Waits until your
algod has seen the close.

${RETURN_HELP}`,
  options: RETURN_OPTIONS,
  positionals: ['CHANNEL'],
  async run(values, terminal, id) {
    const closed = await withChannels(values, terminal, async (channels) => ({
      id,
      channel: (await channels.list()).find((one) => one.id === id),
      recovery: await channels.close(id),
    }));
    return { json: shownRecovery(closed), lines: [recoveryLine(closed)] };
  },
});

export const channelsRecover = command({
  summary: 'take back what is left in channels',
  help: `Usage: avm402 channels recover [CHANNEL] [options]

Takes back what a channel still holds, after its expiry or after a close has handed over its account. Without CHANNEL,
all channels in the file.

      --from-round N      also search the blocks from round N on for channels that are not in the file
${RETURN_HELP}`,
  options: { ...RETURN_OPTIONS, 'from-round': { type: 'string' } },
  positionals: ['[CHANNEL]'],
  async run(values, terminal, only) {
    const { 'from-round': since } = values;
    const fromRound = since === undefined ? undefined : valueOf('--from-round', () => parseAtomicAmount(since));
    const recovered = await withChannels(values, terminal, async (channels): Promise<Recovered[]> => {
      if (fromRound !== undefined) {
        const { network } = await networkOf(algodOf(terminal.environment));
        await channels.find(network, fromRound);
      }
      const listed = await channels.list();
      if (only === undefined) return recoverAll(listed, channels);
      const channel = listed.find(({ id }) => id === only);
      return [{ id: only, channel, recovery: await channels.recover(only) }];
    });
    return {
      json: recovered.map(shownRecovery),
      lines: recovered.length === 0 ? [NONE] : recovered.map(recoveryLine),
      exitCode: recovered.some(({ recovery }) => 'error' in recovery) ? EXIT.failed : EXIT.done,
    };
  },
});

/** Recovers every channel. One that fails, such as one of another network than the node's, keeps no other back. */
async function recoverAll(listed: readonly ChannelView[], channels: PayerChannels): Promise<Recovered[]> {
  const outcomes: Recovered[] = [];
  for (const channel of listed) {
    const { id } = channel;
    const recovery = await channels.recover(id).catch((error: unknown) => ({ error: explain(error) }));
    outcomes.push({ id, channel, recovery });
  }
  return outcomes;
}

interface Recovered {
  readonly id: string;
  /** Undefined: it is not on record. */
  readonly channel: ChannelView | undefined;
  readonly recovery: Recovery | { readonly error: Explanation };
}

function shownRecovery({ id, recovery }: Recovered) {
  return { channel: id, ...recovery };
}

function recoveryLine({ id, channel, recovery }: Recovered): string {
  if ('error' in recovery) return `${id} can't be recovered now: ${recovery.error.message}`;
  if (recovery.state === 'closed') return `${id} is closed`;
  const { balance, expiry, round } = recovery;
  const held = channel ? inChannel(channel, balance) : `${withSeparators(String(balance))} atomic units`;
  return `${id} holds ${held} until round ${expiry}; now it is round ${round}`;
}

function linesOf(channel: ChannelView): string[] {
  const { id, state, url, config, deposited, charged, claimable } = channel;
  const [all, spent, most, left] = [deposited, charged, claimable, deposited - charged].map((amount) =>
    inChannel(channel, amount),
  );
  return [
    `${id} ${state}`,
    `  ${all} deposited, ${spent} charged, ${left} left; the seller can claim at most ${most}`,
    `  at ${url ?? 'an unknown seller'}, until round ${config.expiry}`,
  ];
}

function shown({ id, network, state, url, config, deposited, charged, claimable }: ChannelView) {
  const { receiver, token: asset, expiry } = config;
  return { id, network, state, url, receiver, asset, expiry, deposited, charged, claimable };
}
