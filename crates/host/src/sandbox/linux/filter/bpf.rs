//! Seccomp filters as programs for the kernel's BPF machine.

use std::io;

/// One instruction, as the kernel reads it.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::sandbox) struct Instruction {
    code: u16,
    if_true: u8,
    if_false: u8,
    operand: u32,
}

const LOAD: u16 = 0x20;
const AND: u16 = 0x54;
const JUMP_IF_EQUAL: u16 = 0x15;
const JUMP_IF_AT_LEAST: u16 = 0x35;
const RETURN: u16 = 0x06;

/// Where the parts of a call are in what the filter is given. Arguments have 64 bits; the low half
/// comes first on the architectures we know.
const OFFSET_NUMBER: u32 = 0;
const OFFSET_ARCHITECTURE: u32 = 4;
const OFFSET_ARGUMENTS: u32 = 16;

#[cfg(target_arch = "x86_64")]
const ARCHITECTURE: Option<u32> = Some(0xc000_003e);
#[cfg(target_arch = "aarch64")]
const ARCHITECTURE: Option<u32> = Some(0xc000_00b7);
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
const ARCHITECTURE: Option<u32> = None;

/// System calls of the x32 mode of x86_64 have other numbers, which would bypass the filter.
const X32: u32 = 0x4000_0000;

/// What becomes of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Allow,
    /// It fails with this error.
    Fail(i32),
    /// The listener decides.
    Ask,
}

impl Action {
    pub(super) fn operand(self) -> u32 {
        match self {
            Action::Allow => 0x7fff_0000,
            Action::Fail(error) => 0x0005_0000 | error.unsigned_abs(),
            Action::Ask => 0x7fc0_0000,
        }
    }
}

const KILL: u32 = 0x8000_0000;

/// Looks at the low half of an argument.
#[derive(Clone, Copy, Debug)]
pub(super) struct Test {
    argument: u32,
    mask: u32,
    value: u32,
}

pub(super) fn argument(argument: u32, value: u32) -> Test {
    masked(argument, u32::MAX, value)
}

pub(super) fn masked(argument: u32, mask: u32, value: u32) -> Test {
    Test {
        argument,
        mask,
        value,
    }
}

/// What becomes of one call: the action of the first case whose tests all hold.
pub(super) struct Rule {
    pub(super) number: u32,
    pub(super) cases: Vec<(Vec<Test>, Action)>,
    pub(super) otherwise: Action,
}

/// The filter that decides by these rules and allows every other call.
///
/// # Errors
/// There is no filter for this architecture.
pub(super) fn compile(rules: &[Rule]) -> io::Result<Vec<Instruction>> {
    let Some(architecture) = ARCHITECTURE else {
        return Err(io::Error::new(
            io::ErrorKind::Unsupported,
            "its permissions cannot be enforced: the sandbox is for x86_64 and aarch64",
        ));
    };
    let mut program = vec![
        load(OFFSET_ARCHITECTURE),
        jump(JUMP_IF_EQUAL, architecture, 1, 0),
        give_back(KILL),
        load(OFFSET_NUMBER),
    ];
    if cfg!(target_arch = "x86_64") {
        program.push(jump(JUMP_IF_AT_LEAST, X32, 0, 1));
        program.push(give_back(Action::Fail(libc::ENOSYS).operand()));
    }
    for rule in rules {
        rule.compile(&mut program);
    }
    program.push(give_back(Action::Allow.operand()));
    Ok(program)
}

/// The numbers of calls are small.
pub(super) fn number(call: i64) -> u32 {
    u32::try_from(call).unwrap_or(u32::MAX)
}

impl Rule {
    pub(super) fn always(call: i64, action: Action) -> Rule {
        Rule {
            number: number(call),
            cases: Vec::new(),
            otherwise: action,
        }
    }

    /// Expects the number to be loaded, and leaves it loaded for the next rule.
    fn compile(&self, program: &mut Vec<Instruction>) {
        let mut body = Vec::new();
        for (tests, action) in &self.cases {
            let mut case = vec![give_back(action.operand())];
            for test in tests.iter().rev() {
                // A case has at most three tests of three instructions.
                let rest = case.len() as u8;
                case.insert(0, jump(JUMP_IF_EQUAL, test.value, 0, rest));
                if test.mask != u32::MAX {
                    case.insert(0, instruction(AND, test.mask));
                }
                case.insert(0, load(OFFSET_ARGUMENTS + 8 * test.argument));
            }
            body.extend(case);
        }
        body.push(give_back(self.otherwise.operand()));
        debug_assert!(body.len() < 256, "jumps reach 255 instructions");
        program.push(jump(JUMP_IF_EQUAL, self.number, 0, body.len() as u8));
        program.extend(body);
    }
}

fn instruction(code: u16, operand: u32) -> Instruction {
    jump(code, operand, 0, 0)
}

fn load(offset: u32) -> Instruction {
    instruction(LOAD, offset)
}

fn give_back(value: u32) -> Instruction {
    instruction(RETURN, value)
}

fn jump(code: u16, operand: u32, if_true: u8, if_false: u8) -> Instruction {
    Instruction {
        code,
        if_true,
        if_false,
        operand,
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Runs a filter as the kernel does.
    pub(in super::super) fn run(program: &[Instruction], call: i64, arguments: [u64; 6]) -> u32 {
        let mut data = Vec::new();
        data.extend((call as u32).to_le_bytes());
        data.extend(ARCHITECTURE.unwrap().to_le_bytes());
        data.extend(0_u64.to_le_bytes());
        data.extend(arguments.iter().flat_map(|one| one.to_le_bytes()));
        let (mut at, mut loaded) = (0, 0_u32);
        loop {
            let one = program[at];
            at += 1;
            let offset = one.operand as usize;
            let mut branch = |holds: bool| {
                at += usize::from(if holds { one.if_true } else { one.if_false });
            };
            match one.code {
                LOAD => {
                    let word = data[offset..offset + 4].try_into().unwrap();
                    loaded = u32::from_le_bytes(word);
                }
                AND => loaded &= one.operand,
                JUMP_IF_EQUAL => branch(loaded == one.operand),
                JUMP_IF_AT_LEAST => branch(loaded >= one.operand),
                RETURN => return one.operand,
                other => panic!("unknown instruction {other:#x}"),
            }
        }
    }
}
