"""The contracts through algokit-utils for Python. Each function is a test; what passed is printed by name."""

import os
import sys
import uuid
from pathlib import Path

import algokit_utils as kit

COMPILED = Path(__file__).parent.parent / "compiled"
CONTROLS = {"deploy_time_params": {"STEP": 1}, "updatable": True, "deletable": True}

client = kit.AlgorandClient.from_config(
    kit.AlgoClientNetworkConfig(server=os.environ["ALGOD_URL"], token=os.environ["ALGOD_TOKEN"]),
    kit.AlgoClientNetworkConfig(server=os.environ["INDEXER_URL"], token=""),
)
creator = client.account.from_mnemonic(mnemonic=os.environ["CREATOR"]).address
caller = client.account.from_mnemonic(mnemonic=os.environ["CALLER"]).address


def unique() -> bytes:
    return uuid.uuid4().bytes


def micro(amount: int) -> kit.AlgoAmount:
    return kit.AlgoAmount.from_micro_algo(amount)


def factory(name: str, **options) -> kit.AppFactory:
    spec = (COMPILED / f"{name}.arc56.json").read_text()
    return client.client.get_app_factory(app_spec=spec, default_sender=creator, **options)


def created(name: str, funds: int) -> kit.AppClient:
    app, _ = factory(name).send.bare.create(kit.AppFactoryCreateParams(note=unique()))
    app.fund_app_account(kit.FundAppAccountParams(amount=micro(funds), note=unique()))
    return app


def call(app: kit.AppClient, method: str, *args, sender: str = caller, inner: int = 0, how: str = "call"):
    params = kit.AppClientMethodCallParams(
        method=method, args=list(args), sender=sender, note=unique(), extra_fee=micro(1000 * inner)
    )
    return getattr(app.send, how)(params)


def payment(app: kit.AppClient, amount: int) -> kit.PaymentParams:
    return kit.PaymentParams(sender=caller, receiver=app.app_address, amount=micro(amount), note=unique())


def transfer(app: kit.AppClient, asset: int, amount: int) -> kit.AssetTransferParams:
    return kit.AssetTransferParams(
        sender=caller, receiver=app.app_address, asset_id=asset, amount=amount, note=unique()
    )


def opt_in(asset: int) -> None:
    client.send.asset_opt_in(kit.AssetOptInParams(sender=caller, asset_id=asset))


def fails(text: str, action) -> None:
    try:
        action()
    except Exception as error:
        shown = f"{error} {getattr(error, 'trace', lambda: '')()}" if hasattr(error, "trace") else str(error)
        assert text in shown, f"{text!r} is not in {shown!r}"
    else:
        raise AssertionError(f"no failure: {text}")


def counter_counts_and_logs():
    made = factory("Counter", compilation_params=CONTROLS)
    app, result = made.send.create(
        kit.AppFactoryCreateMethodCallParams(method="create", args=[10], note=unique())
    )
    assert app.app_id == result.app_id
    assert call(app, "increase", 3, how="opt_in").abi_return == 3
    increased = call(app, "increase", 4)
    assert increased.abi_return == 7
    assert len(increased.confirmation["logs"]) == 2
    assert app.state.global_state.get_all() == {"total": 7, "limit": 10}
    assert app.state.local_state(caller).get_all() == {"mine": 7}
    assert call(app, "greeting", "Ada").abi_return == "Hello, Ada"
    fails("the counter is at its limit", lambda: call(app, "increase", 4))
    assert call(app, "leave", how="close_out").abi_return == 7
    app.send.bare.delete()
    fails("application does not exist", lambda: app.state.global_state.get_all())


def counter_is_deployed_once():
    name = f"counter {uuid.uuid4()}"

    def deploy(step: int, **options):
        made = factory("Counter", app_name=name)
        return made.deploy(
            create_params=kit.AppClientMethodCallCreateParams(method="create", args=[100]),
            compilation_params={**CONTROLS, "deploy_time_params": {"STEP": step}},
            **options,
        )

    _, first = deploy(1)
    assert first.operation_performed is kit.OperationPerformed.Create
    _, same = deploy(1)
    assert same.operation_performed is kit.OperationPerformed.Nothing
    fails("on_update=Fail", lambda: deploy(2))
    app, updated = deploy(2, on_update=kit.OnUpdate.UpdateApp)
    assert updated.operation_performed is kit.OperationPerformed.Update
    assert app.app_id == first.app.app_id
    assert call(app, "increase", 4).abi_return == 8
    _, replaced = deploy(3, on_update=kit.OnUpdate.ReplaceApp)
    assert replaced.operation_performed is kit.OperationPerformed.Replace
    assert replaced.app.app_id > first.app.app_id


def sale_sends_inner_transfers():
    app = created("Sale", 1_000_000)
    token = call(app, "mint", "Ticket", 100, 500, sender=creator, inner=1).abi_return
    opt_in(token)
    bought = call(app, "buy", payment(app, 1700), inner=2)
    assert bought.abi_return == 3
    assert [inner["txn"]["txn"]["type"] for inner in bought.confirmation["inner-txns"]] == ["axfer", "pay"]
    assert client.asset.get_account_information(caller, token).balance == 3
    fails("the payment buys no token", lambda: call(app, "buy", payment(app, 499), inner=2))
    covered = app.send.call(
        kit.AppClientMethodCallParams(
            method="buy", args=[payment(app, 1700)], sender=caller, note=unique(), max_fee=micro(10_000)
        ),
        send_params={"cover_app_call_inner_transaction_fees": True},
    )
    assert covered.transaction.raw.fee == 3000


def register_keeps_boxes():
    app = created("Register", 200_000)
    entry = call(app, "register", payment(app, 30_000), "ada", "analyst").abi_return
    assert entry["owner"] == caller and entry["text"] == "analyst"
    assert app.state.box.get_map_value("entries", "ada")["text"] == "analyst"
    assert [name.name_raw for name in app.get_box_names()] == [b"e_ada"]
    call(app, "copy_entry", "ada", "eve")
    assert call(app, "is_owner", caller, "eve").abi_return is True
    fails("no such name", lambda: call(app, "entry", "nobody"))
    assert call(app, "release", "ada", inner=1).abi_return == 2500 + 400 * (5 + 32 + 8 + 2 + 2 + 7)


def factory_creates_applications():
    app = created("Factory", 2_000_000)
    made = call(app, "make", 7, inner=1).abi_return
    assert call(app, "count", made, 5, inner=1).abi_return == 5
    fails("inner tx 0 failed: logic eval error: assert failed", lambda: call(app, "count", made, 5, inner=1))
    assert call(app, "make_and_count", 3, inner=3).abi_return == 6
    assert call(app, "maker", made).abi_return == app.app_address
    call(app, "delete", made, inner=1)


def pool_swaps():
    app = created("Pool", 100_000)
    assets = []
    for unit in ("A", "B"):
        asset = client.send.asset_create(
            kit.AssetCreateParams(sender=caller, total=10**12, unit_name=unit, note=unique())
        ).asset_id
        assets.append(asset)
    a, b = assets
    share = call(app, "open", payment(app, 400_000), a, b, inner=3).abi_return
    opt_in(share)
    assert call(app, "add", transfer(app, a, 4_000_000), transfer(app, b, 9_000_000), inner=1).abi_return == 5_999_000
    swapped = call(app, "swap", transfer(app, a, 1000), 0, inner=1).abi_return
    assert swapped == 1000 * 997 * 9_000_000 // (4_000_000 * 1000 + 1000 * 997)
    fails("the price has moved", lambda: call(app, "swap", transfer(app, a, 1000), 10_000, inner=1))


def auction_takes_bids():
    app = created("Auction", 200_000)
    asset = client.send.asset_create(kit.AssetCreateParams(sender=creator, total=1, note=unique())).asset_id
    call(app, "take", asset, sender=creator, inner=1)
    deposit = kit.AssetTransferParams(
        sender=creator, receiver=app.app_address, asset_id=asset, amount=1, note=unique()
    )
    call(app, "start", deposit, 1000, 3600, sender=creator)
    call(app, "enter", how="opt_in")
    call(app, "bid", payment(app, 2000))
    call(app, "bid", payment(app, 3000))
    fails("the bid is not higher", lambda: call(app, "bid", payment(app, 3000)))
    assert call(app, "claim_back", inner=1).abi_return == 2000
    fails("the auction goes on", lambda: call(app, "claim_asset", asset, inner=1))


TESTS = [
    counter_counts_and_logs,
    counter_is_deployed_once,
    sale_sends_inner_transfers,
    register_keeps_boxes,
    factory_creates_applications,
    pool_swaps,
    auction_takes_bids,
]

for test in TESTS:
    test()
    print(test.__name__)
    sys.stdout.flush()
