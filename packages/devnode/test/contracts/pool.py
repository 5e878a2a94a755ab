from algopy import ARC4Contract, Asset, BigUInt, Global, Txn, UInt64, arc4, gtxn, itxn, op, subroutine

FEE_PER_MILLE = 3
LOCKED = 1_000


class Shares(arc4.Struct):
    a: arc4.UInt64
    b: arc4.UInt64


class Pool(ARC4Contract):
    """Swaps two assets; the product of what it has of both never falls."""

    def __init__(self) -> None:
        self.a = Asset()
        self.b = Asset()
        self.share = Asset()
        self.issued = UInt64(0)

    @arc4.abimethod
    def open(self, seed: gtxn.PaymentTransaction, a: Asset, b: Asset) -> Asset:
        assert not self.share, "the pool is open"
        assert a.id < b.id, "the lower asset comes first"
        assert seed.receiver == Global.current_application_address, "the seed goes to the pool"
        self.a = a
        self.b = b
        self.share = (
            itxn.AssetConfig(asset_name="Pool share", unit_name="SHARE", total=2**63, decimals=6, fee=0)
            .submit()
            .created_asset
        )
        for asset in (a, b):
            self.send(asset, UInt64(0), opt_in=True)
        return self.share

    @arc4.abimethod
    def add(self, a: gtxn.AssetTransferTransaction, b: gtxn.AssetTransferTransaction) -> UInt64:
        """Issues shares for both assets; the first ones for the geometric mean, of which some stay in the pool."""
        self.check(a, self.a)
        self.check(b, self.b)
        if not self.issued:
            high, low = op.mulw(a.asset_amount, b.asset_amount)
            root = self.root(high, low)
            assert root > LOCKED, "too little to begin with"
            self.issued = root
            issued = root - LOCKED
        else:
            of_a = self.part(a.asset_amount, self.issued, self.reserve(self.a) - a.asset_amount)
            of_b = self.part(b.asset_amount, self.issued, self.reserve(self.b) - b.asset_amount)
            issued = of_a if of_a < of_b else of_b
            assert issued > 0, "too little to add"
            self.issued += issued
        self.send(self.share, issued, opt_in=False)
        return issued

    @arc4.abimethod
    def remove(self, share: gtxn.AssetTransferTransaction) -> Shares:
        self.check(share, self.share)
        of_a = self.part(share.asset_amount, self.reserve(self.a), self.issued)
        of_b = self.part(share.asset_amount, self.reserve(self.b), self.issued)
        self.issued -= share.asset_amount
        self.send(self.a, of_a, opt_in=False)
        self.send(self.b, of_b, opt_in=False)
        return Shares(arc4.UInt64(of_a), arc4.UInt64(of_b))

    @arc4.abimethod
    def swap(self, given: gtxn.AssetTransferTransaction, at_least: UInt64) -> UInt64:
        assert given.xfer_asset in (self.a, self.b), "not an asset of the pool"
        wanted = self.b if given.xfer_asset == self.a else self.a
        self.check(given, given.xfer_asset)
        before = self.reserve(given.xfer_asset) - given.asset_amount
        net = given.asset_amount * (1000 - FEE_PER_MILLE)
        out = self.part(net, self.reserve(wanted), before * 1000 + net)
        assert out >= at_least, "the price has moved"
        self.send(wanted, out, opt_in=False)
        return out

    @subroutine
    def check(self, transfer: gtxn.AssetTransferTransaction, asset: Asset) -> None:
        assert transfer.asset_receiver == Global.current_application_address, "the transfer goes to the pool"
        assert transfer.xfer_asset == asset, "another asset is due here"
        assert transfer.sender == Txn.sender, "who transfers is who calls"

    @subroutine
    def reserve(self, asset: Asset) -> UInt64:
        return asset.balance(Global.current_application_address)

    @subroutine
    def part(self, of: UInt64, whole: UInt64, total: UInt64) -> UInt64:
        """of * whole / total, rounded down, in 128 bits between."""
        high, low = op.mulw(of, whole)
        return op.divw(high, low, total)

    @subroutine
    def root(self, high: UInt64, low: UInt64) -> UInt64:
        square = BigUInt.from_bytes(op.concat(op.itob(high), op.itob(low)))
        return op.btoi(op.bsqrt(square).bytes)

    @subroutine
    def send(self, asset: Asset, amount: UInt64, *, opt_in: bool) -> None:
        receiver = Global.current_application_address if opt_in else Txn.sender
        itxn.AssetTransfer(xfer_asset=asset, asset_receiver=receiver, asset_amount=amount, fee=0).submit()
