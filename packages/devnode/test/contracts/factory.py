from algopy import Application, ARC4Contract, Global, OnCompleteAction, Txn, UInt64, arc4, compile_contract, itxn

from counter import Counter


class Factory(ARC4Contract):
    """Makes counters, calls them and deletes them."""

    def __init__(self) -> None:
        self.latest = Application()
        self.made = UInt64(0)

    @arc4.abimethod
    def make(self, limit: UInt64) -> Application:
        program = compile_contract(Counter, template_vars={"STEP": UInt64(1), "UPDATABLE": True, "DELETABLE": True})
        created = arc4.arc4_create(Counter.create, limit, compiled=program, fee=0).created_app
        self.latest = created
        self.made += 1
        return created

    @arc4.abimethod
    def make_and_count(self, by: UInt64) -> UInt64:
        """Makes a counter and calls it twice, all in one call; the last call is told by its logs."""
        counter = self.make(by * 10)
        arc4.abi_call(Counter.increase, by, app_id=counter, fee=0)
        total, call = arc4.abi_call(Counter.increase, by, app_id=counter, fee=0)
        assert call.num_logs == 2, "an event and the return value"
        assert counter.creator == Global.current_application_address
        return total

    @arc4.abimethod
    def count(self, counter: Application, by: UInt64) -> UInt64:
        total, _call = arc4.abi_call(Counter.increase, by, app_id=counter, fee=0)
        return total

    @arc4.abimethod
    def delete(self, counter: Application) -> None:
        itxn.ApplicationCall(app_id=counter, on_completion=OnCompleteAction.DeleteApplication, fee=0).submit()
        if counter == self.latest:
            self.latest = Application()

    @arc4.abimethod(readonly=True)
    def maker(self, counter: Application) -> arc4.Address:
        assert Txn.sender != counter.address
        return arc4.Address(counter.creator)
