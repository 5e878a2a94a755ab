import { fieldGroup, type FieldGroup } from '../machine/field-group.ts';

/** Alphabets of base64. */
export const BASE64_ENCODINGS: FieldGroup = fieldGroup('base64', 'Base64Encoding', [
  { code: 0, name: 'URLEncoding' },
  { code: 1, name: 'StdEncoding' },
]);

/** Kinds of JSON values. */
export const JSON_TYPES: FieldGroup = fieldGroup('json_ref', 'JSONRefType', [
  { code: 0, name: 'JSONString', type: '[]byte' },
  { code: 1, name: 'JSONUint64', type: 'uint64' },
  { code: 2, name: 'JSONObject', type: '[]byte' },
]);
