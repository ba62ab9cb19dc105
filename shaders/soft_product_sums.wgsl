// Adds the products of four k of the slab, of doubles by integers: a column after the other, since their code is long.
fn add_four_products(k: u32, row: u32, column: u32) {
    for (var lane = 0u; lane < 4u; lane++) {
        add_products(k, row, column, lane);
        add_products(k + 1u, row, column, lane);
        add_products(k + 2u, row, column, lane);
        add_products(k + 3u, row, column, lane);
    }
}

// Adds the products of one k in one column.
fn add_products(k: u32, row: u32, column: u32, lane: u32) {
    let x = rows[k * PITCH + row];
    let z = rows[k * PITCH + row + 8u];
    let y = columns[k * 16u + column];
    let b = vec2<u32>(y.lo[lane], y.hi[lane]);
    add_product(0u, lane, vec2<u32>(x.lo.x, x.hi.x), b);
    add_product(1u, lane, vec2<u32>(x.lo.y, x.hi.y), b);
    add_product(2u, lane, vec2<u32>(x.lo.z, x.hi.z), b);
    add_product(3u, lane, vec2<u32>(x.lo.w, x.hi.w), b);
    add_product(4u, lane, vec2<u32>(z.lo.x, z.hi.x), b);
    add_product(5u, lane, vec2<u32>(z.lo.y, z.hi.y), b);
    add_product(6u, lane, vec2<u32>(z.lo.z, z.hi.z), b);
    add_product(7u, lane, vec2<u32>(z.lo.w, z.hi.w), b);
}

fn add_product(row: u32, lane: u32, a: vec2<u32>, b: vec2<u32>) {
    let sum = soft_add(vec2<u32>(sums[row].lo[lane], sums[row].hi[lane]), soft_mul(a, b));
    sums[row].lo[lane] = sum.x;
    sums[row].hi[lane] = sum.y;
}
