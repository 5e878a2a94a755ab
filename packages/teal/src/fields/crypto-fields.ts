import { fieldGroup, type FieldGroup } from '../machine/field-group.ts';

/** Curves of ECDSA. */
export const ECDSA_CURVES: FieldGroup = fieldGroup('ECDSA', 'EcdsaCurve', [
  { code: 0, name: 'Secp256k1' },
  { code: 1, name: 'Secp256r1', since: 7 },
]);

/** Groups of pairing-friendly curves. */
export const EC_GROUPS: FieldGroup = fieldGroup('EC', 'EcGroup', [
  { code: 0, name: 'BN254g1' },
  { code: 1, name: 'BN254g2' },
  { code: 2, name: 'BLS12_381g1' },
  { code: 3, name: 'BLS12_381g2' },
]);

/** Verifiable random functions. */
export const VRF_STANDARDS: FieldGroup = fieldGroup('vrf_verify', 'VrfStandard', [{ code: 0, name: 'VrfAlgorand' }]);

/** Parameters of MiMC. */
export const MIMC_CONFIGURATIONS: FieldGroup = fieldGroup('Mimc Configurations', 'MimcConfig', [
  { code: 0, name: 'BN254Mp110' },
  { code: 1, name: 'BLS12_381Mp111' },
]);

/** Parameters of Poseidon2. */
export const POSEIDON2_CONFIGURATIONS: FieldGroup = fieldGroup('Poseidon2 Configurations', 'Poseidon2Config', [
  { code: 0, name: 'BN254t2' },
  { code: 1, name: 'BLS12_381t2' },
]);
