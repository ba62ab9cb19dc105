// Adds the products of four k of the slab.
fn add_four_products(k: u32, row: u32, column: u32) {
    add_products(k, row, column);
    add_products(k + 1u, row, column);
    add_products(k + 2u, row, column);
    add_products(k + 3u, row, column);
}

// Adds the products of one k.
fn add_products(k: u32, row: u32, column: u32) {
    let x = rows[k * PITCH + row];
    let z = rows[k * PITCH + row + 8u];
    let y = columns[k * 16u + column];
    sums[0] = plus_product(sums[0], spread(x, 0u), y);
    sums[1] = plus_product(sums[1], spread(x, 1u), y);
    sums[2] = plus_product(sums[2], spread(x, 2u), y);
    sums[3] = plus_product(sums[3], spread(x, 3u), y);
    sums[4] = plus_product(sums[4], spread(z, 0u), y);
    sums[5] = plus_product(sums[5], spread(z, 1u), y);
    sums[6] = plus_product(sums[6], spread(z, 2u), y);
    sums[7] = plus_product(sums[7], spread(z, 3u), y);
}
