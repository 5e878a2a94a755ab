import { formatAddress } from '@avm402/algorand/address';
import { expect, test } from 'vitest';
import { parseBoxName } from '../../src/rest/routes/box-name.ts';

const ADDRESS = formatAddress(new Uint8Array(32).fill(7));
const WRONG_CHECKSUM = `${ADDRESS.slice(0, -6)}AAAAAA`;

const hex = (name: string): string => Buffer.from(parseBoxName(name), 'latin1').toString('hex');
const asType = (type: string, problem: string): string => `Could not decode abi type string (${type}): ${problem}`;
const asValue = (value: string, problem: string): string => `Could not decode abi value string (${value}):${problem} `;

test.each([
  ['uint64:5', '0000000000000005'],
  ['uint64:null', '0000000000000000'],
  ['uint16:0x0102', '0102'],
  ['uint16:1_000', '03e8'],
  ['uint08:7', '07'],
  ['byte:255', 'ff'],
  ['bool:null', '00'],
  ['ufixed64x2:1.25', '000000000000007d'],
  ['ufixed8x1:5e-1', '05'],
  [`address:"${ADDRESS}"`, '07'.repeat(32)],
  ['string:"é"', '0002c3a9'],
  ['string:[1,255]', '000201ff'],
  ['byte[]:"AQI="', '00020102'],
  ['byte[2]:[1,2]', '0102'],
  ['byte[0]:[]', ''],
  ['(byte[],bool,bool):["AQ==", true,true]', '0003c0000101'],
  ['():[]', ''],
  ['(bool(byte)):[true]', '80'],
  ['bool[9]:[true,false,false,false,false,false,false,false,true]', '8080'],
])('a name in the encoding abi: %s', (name, bytes) => {
  expect(hex(`abi:${name}`)).toBe(bytes);
});

test.each([
  ['uint64', 'Could not decode abi string (uint64): should split abi-type and abi-value with colon'],
  ['te"xt:1', asType('te"xt', String.raw`cannot convert the string "te\"xt" to an ABI type`)],
  ['text:1', asType('text', 'cannot convert the string "text" to an ABI type')],
  ['uint7:1', asType('uint7', 'unsupported uint type bitSize: 7')],
  ['uint520:1', asType('uint520', 'unsupported uint type bitSize: 520')],
  ['uint0:1', asType('uint0', 'unsupported uint type bitSize: 0')],
  ['uint:1', asType('uint', 'ill formed uint type: "uint"')],
  ['uint70000:1', asType('uint70000', 'ill formed uint type: "uint70000"')],
  ['ufixed64:1', asType('ufixed64', 'ill formed ufixed type: "ufixed64"')],
  ['ufixed7x1:1', asType('ufixed7x1', 'unsupported ufixed type bitSize: 7')],
  ['ufixed64x161:1', asType('ufixed64x161', 'unsupported ufixed type precision: 161')],
  ['byte[x]:1', asType('byte[x]', 'static array ill formated: "byte[x]"')],
  ['byte[70000]:1', asType('byte[70000]', 'strconv.ParseUint: parsing "70000": value out of range')],
  ['(,byte):1', asType('(,byte)', 'parsing error: tuple content should not start or end with comma')],
  ['(byte,,byte):1', asType('(byte,,byte)', 'no consecutive commas')],
  ['((byte):1', asType('((byte)', 'unpaired parentheses: (byte')],
  ['(byte,text):1', asType('(byte,text)', 'cannot convert the string "text" to an ABI type')],
])('an ABI type that does not exist: %s', (name, message) => {
  expect(() => parseBoxName(`abi:${name}`)).toThrow(expect.objectContaining({ code: 'refused', message }));
});

test.each([
  ['tuples', (levels: number) => `${'('.repeat(levels)}byte${')'.repeat(levels)}`],
  ['lists', (levels: number) => `byte${'[]'.repeat(levels)}`],
  ['lists of a length', (levels: number) => `byte${'[1]'.repeat(levels)}`],
])('an ABI type of 100 levels of %s is read, and one of more is refused, however many', (_, typeOf) => {
  expect(() => parseBoxName(`abi:${typeOf(100)}:1`)).toThrow(/^Could not decode abi value string/);
  for (const type of [101, 15_000].map(typeOf)) {
    const message = asType(type, 'a type of more than 100 levels');
    expect(() => parseBoxName(`abi:${type}:1`)).toThrow(expect.objectContaining({ code: 'refused', message }));
  }
});

const CAST = 'cannot cast JSON encoded';
test.each([
  ['uint8', '256', 'cast big int to nearest primitive failure: 256 >= 2^8'],
  ['uint8', '-1', 'cannot cast big int to near primitive: -1 < 0'],
  ['uint8', '"5"', String.raw`${CAST} ("5") to uint: math/big: cannot unmarshal "\"5\"" into a *big.Int`],
  ['uint8', '', `${CAST} () to uint: math/big: cannot unmarshal "" into a *big.Int`],
  ['ufixed64x1', '0.25', `${CAST} (0.25) to ufixed: precision out of range`],
  ['ufixed64x1', 'x', `${CAST} (x) to ufixed: math/big: cannot unmarshal "x" into a *big.Rat`],
  ['bool', '1', `${CAST} (1) to bool: json: cannot unmarshal number into Go value of type bool`],
  ['bool', 'x', `${CAST} (x) to bool: invalid character 'x' looking for beginning of value`],
  ['bool', '', `${CAST} () to bool: unexpected end of JSON input`],
  ['byte', '256', `${CAST} to byte: json: cannot unmarshal number 256 into Go value of type uint8`],
  ['byte', '{}', `${CAST} to byte: json: cannot unmarshal object into Go value of type uint8`],
  ['address', '5', `${CAST} to address string: json: cannot unmarshal number into Go value of type string`],
  ['string', 'alpha', `${CAST} (alpha) to string`],
  ['string', '["a"]', `${CAST} (["a"]) to string: json: cannot unmarshal string into Go value of type uint8`],
  ['byte[]', '"!"', `${CAST} ("!") to bytes: illegal base64 data at input byte 0`],
  ['byte[3]', '"AQI="', 'length of slice 2 != type specific length 3'],
  ['byte[3]', '[1]', 'JSON array element number != ABI array elem number'],
  ['byte[]', '5', `${CAST} (5) to array: json: cannot unmarshal number into Go value of type []json.RawMessage`],
  ['(byte)', '[1,2]', 'JSON array element number != ABI tuple elem number'],
  ['(bool)', '[ "a]" ]', `${CAST} ("a]") to bool: json: cannot unmarshal string into Go value of type bool`],
  [
    '(bool)',
    'true',
    `${CAST} (true) to array for tuple: json: cannot unmarshal bool into Go value of type []json.RawMessage`,
  ],
])('an ABI value that is none: %s:%s', (type, value, problem) => {
  const message = asValue(value, problem);
  expect(() => parseBoxName(`abi:${type}:${value}`)).toThrow(expect.objectContaining({ code: 'refused', message }));
});

const BEGIN = 'looking for beginning of value';
test.each([
  ['[1,]', `invalid character ']' ${BEGIN}`],
  ['[1 2]', "invalid character '2' after array element"],
  ['[1', 'unexpected end of JSON input'],
  ['[tru]', "invalid character ']' in literal true (expecting 'e')"],
  ['fals', "invalid character ' ' in literal false (expecting 'e')"],
  ['nul1', "invalid character '1' in literal null (expecting 'l')"],
  ['[01]', "invalid character '1' after array element"],
  ['[1.]', "invalid character ']' after decimal point in numeric literal"],
  ['[1e]', "invalid character ']' in exponent of numeric literal"],
  ['[-x]', "invalid character 'x' in numeric literal"],
  ['-', "invalid character ' ' in numeric literal"],
  ['[1.5e+7, -0, 12] x', "invalid character 'x' after top-level value"],
  ['["a\tb"]', String.raw`invalid character '\t' in string literal`],
  [String.raw`["\x"]`, "invalid character 'x' in string escape code"],
  [String.raw`["\u00g0"]`, String.raw`invalid character 'g' in \u hexadecimal character escape`],
  ['{"a"}', "invalid character '}' after object key"],
  ['{"a":1;', "invalid character ';' after object key:value pair"],
  ['{a', "invalid character 'a' looking for beginning of object key string"],
  ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
  [`'a'`, String.raw`invalid character '\'' ${BEGIN}`],
  ['[1"', `invalid character '"' after array element`],
  ['é', `invalid character 'Ã' ${BEGIN}`],
  ['"', 'unexpected end of JSON input'],
])('JSON that Go can not read: %s', (json, problem) => {
  const message = asValue(json, `${CAST} (${json}) to bool: ${problem}`);
  expect(() => parseBoxName(`abi:bool:${json}`)).toThrow(expect.objectContaining({ code: 'refused', message }));
});

test.each(['[]', '{}', '[1, {"a": [null, "x"], "b": {}}]', '1e-7', String.raw`"\u00e9\n"`])(
  'JSON that Go can read, though it is no boolean: %s',
  (json) => {
    expect(() => parseBoxName(`abi:bool:${json}`)).toThrow('into Go value of type bool');
  },
);

test.each([
  ['nonsense', 'base32 decode error: illegal base32 data at input byte 0'],
  ['AAAA', 'decoded byte length should equal 36 with address and checksum'],
  [WRONG_CHECKSUM, 'decoded checksum mismatch, [92 239 200 15] != [80 0 0 0]'],
])('an address that is none: %s', (text, problem) => {
  const reason = `cannot cast encoded address string (${text}) to address: ${problem}`;
  const message = `Could not unmarshal checksummed address from string (${text}): ${reason}`;
  expect(() => parseBoxName(`addr:${text}`)).toThrow(expect.objectContaining({ code: 'refused', message }));
  expect(() => parseBoxName(`abi:address:"${text}"`)).toThrow(asValue(`"${text}"`, reason));
});
