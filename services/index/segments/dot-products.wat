;; Products of one vector of bytes with many, sixteen axes at a step. `npm run gen` makes dot-products.wasm of it.
(module
  (import "js" "memory" (memory 0))

  ;; A row, the query, where the products go, how many rows there are, and the bytes of each.
  (func (export "products") (param $row i32) (param $query i32) (param $out i32) (param $rows i32) (param $width i32)
    (local $at i32) (local $sum v128) (local $a v128) (local $b v128)
    (loop $eachRow
      (local.set $sum (v128.const i32x4 0 0 0 0))
      (local.set $at (i32.const 0))

      (loop $eachStep
        (local.set $a (v128.load (i32.add (local.get $row) (local.get $at))))
        (local.set $b (v128.load (i32.add (local.get $query) (local.get $at))))
        (local.set $sum
          (i32x4.add
            (local.get $sum)
            (i32x4.add
              (i32x4.dot_i16x8_s (i16x8.extend_low_i8x16_s (local.get $a)) (i16x8.extend_low_i8x16_s (local.get $b)))
              (i32x4.dot_i16x8_s (i16x8.extend_high_i8x16_s (local.get $a)) (i16x8.extend_high_i8x16_s (local.get $b))))))
        (local.set $at (i32.add (local.get $at) (i32.const 16)))
        (br_if $eachStep (i32.lt_u (local.get $at) (local.get $width))))

      (i32.store
        (local.get $out)
        (i32.add
          (i32.add (i32x4.extract_lane 0 (local.get $sum)) (i32x4.extract_lane 1 (local.get $sum)))
          (i32.add (i32x4.extract_lane 2 (local.get $sum)) (i32x4.extract_lane 3 (local.get $sum)))))

      (local.set $row (i32.add (local.get $row) (local.get $width)))
      (local.set $out (i32.add (local.get $out) (i32.const 4)))
      (local.set $rows (i32.sub (local.get $rows) (i32.const 1)))
      (br_if $eachRow (local.get $rows)))))
