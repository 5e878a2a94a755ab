import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const PACKAGE = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const SUBPATHS: string[] = Object.keys(PACKAGE.exports).filter((path) => path !== './package.json');

test('every entry point exports these names', async () => {
  const names: Record<string, string[]> = {};
  for (const path of SUBPATHS.toSorted()) {
    const file: string = PACKAGE.exports[path]['@avm402/source'];
    names[path] = Object.keys(await import(`../${file}`)).toSorted();
  }
  expect(names).toMatchInlineSnapshot(`
    {
      "./account": [
        "accountFromSeed",
        "createAccount",
        "encodePrivateKey",
        "parseAccount",
      ],
      "./address": [
        "ZERO_ADDRESS",
        "formatAddress",
        "isAddress",
        "parseAddress",
      ],
      "./algod": [
        "createAlgodClient",
      ],
      "./algod-refusal": [
        "algodRefusal",
        "parseAlgodRefusal",
      ],
      "./base32": [
        "decodeBase32",
        "encodeBase32",
      ],
      "./base64": [
        "decodeBase64",
        "encodeBase64",
      ],
      "./bytes": [
        "byteText",
        "plainBytes",
        "sameBytes",
      ],
      "./curve-point": [
        "isCurvePoint",
      ],
      "./development-key": [
        "developmentSeed",
      ],
      "./ed25519": [
        "createSigner",
        "publicKeyFromSeed",
        "sign",
        "verify",
        "verifyQuickly",
      ],
      "./errors": [
        "AlgorandError",
        "isAlgorandError",
      ],
      "./group": [
        "MAX_GROUP_SIZE",
        "assignGroup",
        "computeGroupId",
        "decodeGroup",
        "groupIdOf",
      ],
      "./hash": [
        "sha256",
        "sha512",
        "sha512_256",
      ],
      "./http-exchange": [
        "AnswerTooLong",
        "MAX_ANSWER_BYTES",
        "NoAnswerInTime",
        "fetchExchange",
      ],
      "./mnemonic": [
        "mnemonicToSeed",
        "seedToMnemonic",
      ],
      "./msgpack": [
        "decodeMsgpack",
        "encodeMsgpack",
      ],
      "./msgpack-writer": [
        "MsgpackWriter",
      ],
      "./multisig": [
        "appendSignature",
        "multisigAddress",
        "multisigParametersOf",
        "signMultisig",
        "signatureCount",
        "verifyMultisig",
      ],
      "./networks": [
        "DEVELOPMENT_ALGOD",
        "LOCALNET",
        "MAINNET",
        "TESTNET",
        "isDevelopmentGenesisId",
        "networkByGenesisHash",
      ],
      "./program": [
        "programAddress",
        "programSigningBytes",
      ],
      "./require-account": [
        "requireAccount",
      ],
      "./shown-transaction": [
        "isShown",
        "shownTransaction",
      ],
      "./signed-transaction": [
        "decodeMember",
        "decodeSignedTransaction",
        "encodeAuthorized",
        "encodeSignedTransaction",
      ],
      "./transaction": [
        "MAX_WINDOW_ROUNDS",
        "decodeTransaction",
        "encodeTransaction",
        "readTransaction",
        "transactionDigest",
        "transactionId",
        "transactionSigningBytes",
      ],
    }
  `);
});

test('the entry points follow one pattern, so that sources and build agree', () => {
  for (const path of SUBPATHS) {
    const name = path.slice(2);
    expect(PACKAGE.exports[path]).toEqual({
      '@avm402/source': `./src/${name}.ts`,
      types: `./dist/${name}.d.ts`,
      default: `./dist/${name}.js`,
    });
  }
});

test('no source imports a module of Node, because the package also runs in a browser', () => {
  const sources = readdirSync(new URL('../src', import.meta.url));
  expect(sources.length).toBeGreaterThan(20);
  const importsOf = (name: string): string[] =>
    [
      ...readFileSync(new URL(`../src/${name}`, import.meta.url), 'utf8').matchAll(
        /^[^*\n]* from '([^']+)'|import\(/gm,
      ),
    ].map(([text, specifier]) => specifier ?? text);
  const foreign = sources.flatMap(importsOf).filter((specifier) => !specifier.startsWith('./'));
  expect([...new Set(foreign)].toSorted()).toEqual([
    '@noble/curves/ed25519.js',
    '@noble/hashes/sha2.js',
    '@noble/hashes/utils.js',
    '@scure/bip39/wordlists/english.js',
    'lossless-json',
  ]);
});
