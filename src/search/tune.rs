use std::sync::OnceLock;
static P: OnceLock<[i32; 32]> = OnceLock::new();
pub(crate) fn init() -> &'static [i32; 32] {
    P.get_or_init(|| {
        let d = [
            8, 6, 8, 5, 4, 2, 64, 64, 8, 24, 8, 12, 99, 99, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
            0, 0, 0,
        ];
        let mut out = d;
        for (i, slot) in out.iter_mut().enumerate() {
            if let Ok(v) = std::env::var(format!("P{i}")) {
                *slot = v.parse().unwrap();
            }
        }
        out
    })
}
#[inline(always)]
pub(crate) fn p(i: usize) -> i32 {
    P.get().map_or(0, |p| p[i])
}
