import { TESTNET } from '@avm402/algorand/networks';
import { useConstant } from '../ask.ts';
import type { Names } from '../parts/address.tsx';
import { Choice, Form, TextField } from '../parts/form.tsx';
import type { Control, ControlValues } from './control.ts';

/** The actions on an account, each with its control and the rest of its values. */
const ACTIONS: Readonly<
  Record<string, { readonly control: string; readonly values: (asset: string, units: string) => ControlValues }>
> = {
  'gets µAlgo': { control: 'fund', values: (_asset, amount) => ({ amount }) },
  'gets units of the asset': { control: 'deal', values: (asset, amount) => ({ 'asset-id': asset, amount }) },
  'has the asset frozen': { control: 'setFrozen', values: (asset) => ({ 'asset-id': asset, frozen: true }) },
  'has the asset thawed': { control: 'setFrozen', values: (asset) => ({ 'asset-id': asset, frozen: false }) },
};

/** A form that gives an account new ALGO or units of an asset, or freezes or thaws its holding of one. */
export function AccountForm({ control }: { readonly control: Control }) {
  const names = useConstant<Names>('/api/names') ?? {};
  const act = (of: (field: string) => string): void => {
    const action = ACTIONS[of('action')];
    if (action) control(action.control, { address: of('address'), ...action.values(of('asset'), of('units')) });
  };
  const whole = { required: true, pattern: '[0-9]{1,20}', inputMode: 'numeric' } as const;
  return (
    <Form onSubmit={act}>
      <TextField
        label="Account"
        name="address"
        list="accounts"
        required
        pattern="\s*[A-Z2-7]{58}\s*"
        title="an address"
      />
      <datalist id="accounts">
        {Object.entries(names).map(([address, name]) => (
          <option value={address}>{name}</option>
        ))}
      </datalist>
      <Choice label="What happens to it" name="action" options={Object.keys(ACTIONS)} />
      <TextField label="Asset" name="asset" defaultValue={USDC} title="its id" {...whole} />
      <TextField label="Units" name="units" defaultValue="1000000" title="a whole number" {...whole} />
      <button>Do it</button>
    </Form>
  );
}

/** USDC on the embedded node, which has TestNet's id. */
const USDC = String(TESTNET.usdcAssetId);
