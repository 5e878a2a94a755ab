import {
  type MandateConfig,
  mandateAddress,
  parseMandateConfig,
  type ReceiverTree,
  receiverTree,
  type WireMandateConfig,
} from '@avm402/avm/mandate';
import { X402Error } from '@avm402/core/errors';
import { networkOfGenesis, type Network } from '@avm402/core/network';

/** A mandate as a file holds it, text only. Nothing in it is secret. */
export interface Mandate {
  /** Its account, which pays. */
  readonly address: string;
  readonly config: WireMandateConfig;
  /** The receivers that it may pay, and no others; absent if it may pay anybody. */
  readonly receivers?: readonly string[];
}

/** A mandate that was read. */
export interface KnownMandate {
  readonly address: string;
  readonly network: Network;
  readonly config: MandateConfig;
  readonly receivers?: ReceiverTree;
}

/**
 * Reads a mandate from outside.
 * @throws X402Error `invalid_mandate`
 */
export function readMandate(value: unknown): KnownMandate {
  const { address, config: wire, receivers }: Partial<Record<keyof Mandate, unknown>> = Object(value);
  const config = parseMandateConfig(wire);
  if (mandateAddress(config) !== address) throw invalid("address is not that of the configuration's account");
  const network = networkOfGenesis(config.genesisHash);
  if (receivers === undefined) return { address, network, config };
  if (!Array.isArray(receivers)) throw invalid('receivers must be a list of addresses');
  return { address, network, config, receivers: receiverTree(receivers.map(String)) };
}

function invalid(what: string): X402Error {
  return new X402Error('invalid_mandate', { message: `the mandate: ${what}` });
}
