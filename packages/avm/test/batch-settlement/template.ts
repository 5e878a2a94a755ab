import { readFileSync } from 'node:fs';
import { parseAddress } from '@avm402/algorand/address';
import { assemble } from '@avm402/teal/assemble';
import type { ChannelConfig } from '../../src/batch-settlement/channel-config.ts';
import { uint64Bytes } from '../../src/signing/program-template.ts';

export type Constants = Readonly<Record<string, Uint8Array>>;

export const channelTemplate = read('../../src/batch-settlement/channel.teal');
export const uptoTemplate = read('../../src/upto/upto.teal');
export const mandateTemplate = read('../../src/mandate/mandate.teal');

function read(path: string): string {
  return readFileSync(new URL(path, import.meta.url), 'utf8');
}

export function channelConstants(config: ChannelConfig): Constants {
  return {
    PAYER: parseAddress(config.payer),
    PAYER_AUTHORIZER: parseAddress(config.payerAuthorizer),
    RECEIVER: parseAddress(config.receiver),
    RECEIVER_AUTHORIZER: parseAddress(config.receiverAuthorizer),
    FUNDER: parseAddress(config.funder),
    GENESIS_HASH: config.genesisHash,
    TOKEN: uint64Bytes(config.token),
    EXPIRY: uint64Bytes(config.expiry),
    SALT: config.salt,
  };
}

/** Assembles a template with its constants. */
export function assembled(template: string, constants: Constants): Uint8Array {
  const source = template.replaceAll(/TMPL_(\w+)(?=[ \n])/g, (text, name: string) => {
    const value = constants[name];
    return value === undefined ? text : `0x${Buffer.from(value).toString('hex')}`;
  });
  return assemble(source).program;
}

/** The labels of a template's rules, in order: C1, C2, R1 … */
export function rulesOf(template: string): string[] {
  return [...template.matchAll(/^\/\/ ([A-Z]\d+) /gm)].map(([, label = '']) => label);
}

/** The template without a rule: from its comment to the next rule, or the end of the rules. */
export function without(template: string, label: string): string {
  const start = template.search(new RegExp(`^// ${label} `, 'm'));
  const rest = template.slice(start + 1);
  const end = rest.search(/^\/\/ (?:[A-Z]\d+ |end of rules)/m);
  if (start === -1 || end === -1) throw new Error(`there is no rule ${label}`);
  return template.slice(0, start) + rest.slice(end);
}
