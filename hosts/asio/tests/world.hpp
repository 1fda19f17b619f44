// SPDX-License-Identifier: Apache-2.0
//
// What the samples of hosts/asio speak of (tools/documentation/header_samples.py).
#pragma once
#include <boost/asio.hpp>
#include <pinion/asio.hpp>

#include "common.hpp"  // of tools/documentation/worlds

using namespace boost::asio;
using boost::asio::ip::tcp;
using boost::system::error_code;

int hash(const block&);

struct world : common {
  using awaited = awaitable<void>;
  io_context& context;
  pinion::asio::slicer<> slicer{context};
  awaitable<void> serve(tcp::socket);
  void go_on();
};
