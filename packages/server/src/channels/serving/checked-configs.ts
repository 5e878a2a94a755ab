import { type ChannelConfig, channelId, parseChannelConfig } from '@avm402/avm/batch-settlement';
import { checkChannelConfig } from '@avm402/avm/batch-settlement/server';
import { BoundedMap } from '@avm402/core/bounded-map';
import type { PaymentRequirements } from '@x402/core/types';

/** Configurations that are kept. */
const MAX_KNOWN = 10_000;

/** A configuration that fits an offer, and the id of its channel. */
export interface CheckedConfig {
  readonly config: ChannelConfig;
  readonly channelId: string;
}

/**
 * Reads configurations. One that came before is recognized by its text, because all requests of a channel bring the
 * same.
 */
export class CheckedConfigs {
  readonly #known = new BoundedMap<string, CheckedConfig>(MAX_KNOWN);

  /** @throws X402Error `invalid_batch_settlement_avm_channel_config`, `invalid_payment_requirements` */
  read(value: unknown, requirements: PaymentRequirements): CheckedConfig {
    const text = JSON.stringify([value, requirements]);
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const config = parseChannelConfig(value);
    checkChannelConfig(config, requirements);
    const checked = { config, channelId: channelId(config) };
    this.#known.set(text, checked);
    return checked;
  }
}
