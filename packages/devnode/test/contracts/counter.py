from algopy import ARC4Contract, GlobalState, LocalState, OnCompleteAction, String, TemplateVar, Txn, UInt64, arc4, op


class Counted(arc4.Struct):
    by: arc4.Address
    total: arc4.UInt64


class Counter(ARC4Contract):
    """Counts calls, for all and for each account that opted in."""

    def __init__(self) -> None:
        self.total = UInt64(0)
        self.limit = GlobalState(UInt64, key="limit", description="the total that no call exceeds")
        self.mine = LocalState(UInt64, key="mine")

    @arc4.abimethod(create="require")
    def create(self, limit: UInt64) -> None:
        assert limit > 0, "a counter needs a limit"
        self.limit.value = limit

    @arc4.abimethod(allow_actions=["NoOp", "OptIn"])
    def increase(self, by: UInt64) -> UInt64:
        """Adds to the total, and to the caller's own count."""
        if Txn.on_completion == OnCompleteAction.OptIn:
            self.mine[Txn.sender] = UInt64(0)
        total = self.total + by * TemplateVar[UInt64]("STEP")
        assert total <= self.limit.value, "the counter is at its limit"
        self.total = total
        if Txn.sender.is_opted_in(op.Global.current_application_id):
            self.mine[Txn.sender] += by
        arc4.emit(Counted(arc4.Address(Txn.sender), arc4.UInt64(total)))
        return total

    @arc4.abimethod(readonly=True)
    def greeting(self, name: String) -> String:
        return String("Hello, ") + name

    @arc4.abimethod(allow_actions=["CloseOut"])
    def leave(self) -> UInt64:
        """The caller's own count, which ends."""
        return self.mine[Txn.sender]

    @arc4.baremethod(allow_actions=["UpdateApplication"])
    def update(self) -> None:
        assert TemplateVar[bool]("UPDATABLE"), "this counter stays as it is"
        assert Txn.sender == op.Global.creator_address, "only its creator changes a counter"

    @arc4.baremethod(allow_actions=["DeleteApplication"])
    def delete(self) -> None:
        assert TemplateVar[bool]("DELETABLE"), "this counter stays"
        assert Txn.sender == op.Global.creator_address, "only its creator deletes a counter"

    def clear_state_program(self) -> bool:
        return True
