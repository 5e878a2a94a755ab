import { TESTNET } from '@avm402/algorand/networks';
import { useConstant } from '../ask.ts';
import type { Names } from '../parts/address.tsx';
import { formText } from '../parts/form-text.ts';
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
  return (
    <form
      class="row"
      onSubmit={(event) => {
        event.preventDefault();
        const chosen = new FormData(event.currentTarget);
        const of = (field: string): string => formText(chosen, field);
        const action = ACTIONS[of('action')];
        if (action) control(action.control, { address: of('address'), ...action.values(of('asset'), of('units')) });
      }}
    >
      <label>
        Account
        <input
          name="address"
          list="accounts"
          required
          pattern="\s*[A-Z2-7]{58}\s*"
          title="an address"
          spellcheck={false}
        />
      </label>
      <datalist id="accounts">
        {Object.entries(names).map(([address, name]) => (
          <option value={address}>{name}</option>
        ))}
      </datalist>
      <label>
        What happens to it
        <select name="action">
          {Object.keys(ACTIONS).map((action) => (
            <option>{action}</option>
          ))}
        </select>
      </label>
      <label>
        Asset
        <input name="asset" defaultValue={USDC} required pattern="[0-9]{1,20}" title="its id" inputMode="numeric" />
      </label>
      <label>
        Units
        <input
          name="units"
          defaultValue="1000000"
          required
          pattern="[0-9]{1,20}"
          title="a whole number"
          inputMode="numeric"
        />
      </label>
      <button>Do it</button>
    </form>
  );
}

/** USDC on the embedded node, which has TestNet's id. */
const USDC = String(TESTNET.usdcAssetId);
